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
package dev.idempotency.conformance.request;

import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import com.sun.management.ThreadMXBean;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Multipart;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group F: forms with more fields than the container accepts.
 */
@Tag("F16")
class FormLimitTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final int LIMIT = 300;

	private static RunningApplication application;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Application.class, "server.tomcat.max-parameter-count=" + LIMIT,
				"idempotency.limits.max-request-body=2MB");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "parameters", "bound", "key-field" })
	void aFormWithManyFieldsIsRefusedAsWithoutTheLibrary(String handler) {
		String form = fields(200_000);
		HttpResponse<byte[]> without = post("/plain/" + handler, FORM, form);
		HttpResponse<byte[]> with = post("/protected/" + handler, FORM, form);
		assertThat(without.statusCode()).isBetween(400, 499);
		assertThat(with.statusCode()).isEqualTo(without.statusCode());
		assertThat(application.effects(this.label)).isZero();
	}

	@Test
	void aFormWithManyFieldsIsRefusedAtNoMoreCost() {
		String form = fields(200_000);
		for (int i = 0; i < 3; i++) {
			post("/plain/parameters", FORM, form);
			post("/protected/parameters", FORM, form);
		}
		long without = allocated(() -> post("/plain/parameters", FORM, form));
		long with = allocated(() -> post("/protected/parameters", FORM, form));
		assertThat(with).isLessThan(without + 2 * form.length());
	}

	@ParameterizedTest
	@ValueSource(ints = { LIMIT - 2, LIMIT - 1, LIMIT, LIMIT + 1 })
	void theLimitIsThatOfTheContainer(int fields) {
		// One of them is in the query
		HttpResponse<byte[]> without = post("/plain/parameters?q=1", FORM, fields(fields));
		HttpResponse<byte[]> with = post("/protected/parameters?q=1", FORM, fields(fields));
		assertThat(with.statusCode()).isEqualTo(without.statusCode())
			.isEqualTo((fields < LIMIT) ? 200 : with.statusCode());
		assertThat(with.statusCode() == 200).isEqualTo(fields < LIMIT);
	}

	@Test
	void aHandlerThatReadsTheBodyItselfGetsEveryByte() {
		String form = fields(2_000) + "&%7e=~&x";
		HttpResponse<byte[]> without = post("/plain/raw", FORM, form);
		HttpResponse<byte[]> with = post("/protected/raw", FORM, form);
		assertThat(with.statusCode()).isEqualTo(without.statusCode()).isEqualTo(200);
		assertThat(with.body()).isEqualTo(without.body()).asString(StandardCharsets.UTF_8).isEqualTo(form);
		assertReplay(post("/protected/raw", FORM, form), with);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PUT", "PATCH" })
	void aFormOfAnotherMethodIsTreatedAsWithoutTheLibrary(String method) {
		String form = fields(2_000);
		HttpResponse<byte[]> without = send(method, "/plain/parameters", FORM, BodyPublishers.ofString(form));
		HttpResponse<byte[]> with = send(method, "/protected/parameters", FORM, BodyPublishers.ofString(form));
		assertThat(with.statusCode()).isEqualTo(without.statusCode());
	}

	@Test
	void aQueryWithManyParametersIsTreatedAsWithoutTheLibrary() {
		String query = "?" + fields(LIMIT + 1);
		for (String handler : new String[] { "parameters", "raw" }) {
			HttpResponse<byte[]> without = post("/plain/" + handler + query, "application/json", "{}");
			HttpResponse<byte[]> with = post("/protected/" + handler + query, "application/json", "{}");
			assertThat(with.statusCode()).as(handler).isEqualTo(without.statusCode());
		}
	}

	@Test
	void aMultipartFormWithManyPartsIsRefusedAsWithoutTheLibrary() {
		Multipart parts = new Multipart("b");
		for (int i = 0; i < LIMIT + 1; i++) {
			parts = parts.field("f" + i, "1");
		}
		HttpResponse<byte[]> without = send("POST", "/plain/multipart", parts.contentType(),
				BodyPublishers.ofByteArray(parts.body()));
		HttpResponse<byte[]> with = send("POST", "/protected/multipart", parts.contentType(),
				BodyPublishers.ofByteArray(parts.body()));
		assertThat(with.statusCode()).isEqualTo(without.statusCode()).isBetween(400, 499);
		assertThat(application.effects(this.label)).isZero();
	}

	private static String fields(int count) {
		StringBuilder form = new StringBuilder("label=1");
		for (int i = 1; i < count; i++) {
			form.append("&").append(Integer.toString(i, 36));
		}
		return form.toString();
	}

	private long allocated(Runnable request) {
		AtomicLong meter = application.context().getBean(AtomicLong.class);
		meter.set(-1);
		request.run();
		return meter.get();
	}

	private HttpResponse<byte[]> post(String path, String type, String body) {
		return send("POST", path, type, BodyPublishers.ofString(body));
	}

	private HttpResponse<byte[]> send(String method, String path, String type,
			java.net.http.HttpRequest.BodyPublisher body) {
		String target = path.replaceFirst("(/[a-z]+/[a-z-]+)", "$1/" + this.label);
		var request = application.request(ALICE, target).header("Content-Type", type).method(method, body);
		if (!path.contains("key-field")) {
			request.header("Idempotency-Key", this.label);
		}
		return application.send(request);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ PlainForms.class, Protected.class })
	static class Application {

		@Bean
		AtomicLong allocatedByTheLastRequest() {
			return new AtomicLong();
		}

		@Bean
		@Order(Integer.MIN_VALUE)
		Filter allocationFilter(AtomicLong meter) {
			ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
			return (request, response, chain) -> {
				long before = threads.getCurrentThreadAllocatedBytes();
				try {
					chain.doFilter(request, response);
				}
				finally {
					meter.compareAndSet(-1, threads.getCurrentThreadAllocatedBytes() - before);
				}
			};
		}

	}

	@Idempotent
	@RestController
	@RequestMapping("/protected")
	static class Protected extends PlainForms {

		Protected(Effects effects) {
			super(effects);
		}

	}

	static class Card {

		private String label = "";

		String getLabel() {
			return this.label;
		}

		void setLabel(String label) {
			this.label = label;
		}

	}

}
