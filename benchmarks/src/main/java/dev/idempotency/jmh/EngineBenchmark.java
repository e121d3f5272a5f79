/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.jmh;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

/**
 * One request through Spring MVC and the library, without a network and without a
 * database: time and allocation.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 12, time = 1)
@Fork(1)
public class EngineBenchmark {

	private static final String HEADER = "Idempotency-Key";

	private static final int KEPT = 256;

	private final AtomicLong keys = new AtomicLong();

	/** The size of the body, in bytes. */
	@Param({ "100", "65536" })
	int size;

	private ConfigurableApplicationContext context;

	private InMemoryIdempotencyStore store;

	private MockMvc mvc;

	private byte[] body;

	@Setup
	public void start() {
		this.context = new SpringApplicationBuilder(EngineApplication.class)
			.properties("spring.application.name=jmh", "server.port=0", "server.address=127.0.0.1",
					"spring.main.banner-mode=off", "logging.level.root=error")
			.run();
		this.store = this.context.getBean(InMemoryIdempotencyStore.class);
		this.mvc = MockMvcBuilders.webAppContextSetup((WebApplicationContext) this.context).build();
		this.body = ("{\"amountCents\":5000,\"currency\":\"usd\",\"note\":\"" + "n".repeat(this.size - 51) + "\"}")
			.getBytes();
	}

	@Setup(Level.Iteration)
	public void forget() throws Exception {
		this.store.clear();
		send("/protected", "known");
	}

	@TearDown
	public void stop() {
		this.context.close();
	}

	@Benchmark
	public MockHttpServletResponse unprotected() throws Exception {
		return send("/unprotected", next());
	}

	@Benchmark
	public MockHttpServletResponse fresh() throws Exception {
		return send("/protected", next());
	}

	@Benchmark
	public MockHttpServletResponse replay() throws Exception {
		return send("/protected", "known");
	}

	/**
	 * Another key. Records that pile up would be the collector's business, and are no
	 * part of a request.
	 */
	private String next() {
		long number = this.keys.incrementAndGet();
		if (number % KEPT == 0) {
			this.store.clear();
		}
		return "key-" + number;
	}

	private MockHttpServletResponse send(String path, String key) throws Exception {
		MockHttpServletResponse response = this.mvc
			.perform(post(path).header(HEADER, key).contentType(MediaType.APPLICATION_JSON).content(this.body))
			.andReturn()
			.getResponse();
		if (response.getStatus() != 201) {
			throw new IllegalStateException("Answered with " + response.getStatus());
		}
		return response;
	}

}
