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
package dev.idempotency.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import net.bytebuddy.agent.builder.AgentBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The path of a request of the sample through the library: the source files that it
 * enters and the calls that it makes there, of which {@code CONTRIBUTING.md} has the
 * limits. A limit may only fall.
 */
class RequestTraceTests {

	private static final Pattern ADDRESS = Pattern.compile("Rocket Rides is at (http://localhost:\\d+)");

	private static final String PAYMENT = "{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}";

	private static final String RIDE = "{\"originLat\":1,\"originLon\":1,\"targetLat\":2,\"targetLon\":2}";

	@TempDir
	private static Path directory;

	private static Path trace;

	private static JavaProcess sample;

	private static String address;

	@BeforeAll
	static void start() throws Exception {
		trace = directory.resolve("trace.txt");
		TestDatabase database = TestDatabase.create();
		sample = JavaProcess.startOn(ExtractedSampleTests.classPath(),
				List.of("-javaagent:" + agent(), "-D" + CallRecorder.FILE + "=" + trace), RocketRidesApplication.class,
				List.of("--server.port=0", "--spring.datasource.url=" + database.jdbcUrl(),
						"--spring.datasource.username=" + database.username(),
						"--spring.datasource.password=" + database.password()));
		await().alias("The sample starts")
			.atMost(Duration.ofMinutes(5))
			.until(() -> ADDRESS.matcher(sample.output()).find());
		Matcher found = ADDRESS.matcher(sample.output());
		assertThat(found.find()).isTrue();
		address = found.group(1);
		// The first requests load classes and fill caches.
		for (int i = 0; i < 5; i++) {
			send("/payments", PAYMENT, "warm-" + i);
			send("/payments", PAYMENT, "warm-" + i);
			send("/rides", RIDE, "warm-ride-" + i);
		}
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@Test
	void aRequestStaysWithinTheLimitsOfItsKind() throws Exception {
		assertWithinLimits("fresh `POST /payments`", shortest("/payments", PAYMENT, "one", "two", "three"));
		assertWithinLimits("its replay", shortest("/payments", PAYMENT, "one", "one", "one"));
		assertWithinLimits("`POST /rides`, in phases", shortest("/rides", RIDE, "first", "second", "third"));
	}

	private static void assertWithinLimits(String request, List<String> calls) throws IOException {
		Matcher limits = Pattern.compile("\\| " + Pattern.quote(request) + " \\| (\\d+) \\| (\\d+) \\|")
			.matcher(Files.readString(contributing()));
		assertThat(limits.find()).as("a row of CONTRIBUTING.md for " + request).isTrue();
		Set<String> files = new LinkedHashSet<>();
		calls.forEach((type) -> files.add(type.replaceFirst("\\$.*", "")));
		System.out.printf("%s: %d files, %d calls%n", request, files.size(), calls.size());
		assertThat(files).as("files of a " + request)
			.isNotEmpty()
			.hasSizeLessThanOrEqualTo(Integer.parseInt(limits.group(1)));
		assertThat(calls.size()).as("calls of a " + request).isLessThanOrEqualTo(Integer.parseInt(limits.group(2)));
	}

	private static Path contributing() {
		Path file = Path.of("CONTRIBUTING.md");
		return Files.exists(file) ? file : Path.of("..").resolve(file);
	}

	/**
	 * Returns the shortest trace of several requests: a phase that conflicts with
	 * something else is repeated, and a pool may open a connection.
	 */
	private static List<String> shortest(String path, String body, String... keys) throws Exception {
		List<List<String>> traces = new ArrayList<>();
		for (String key : keys) {
			traces.add(recorded(path, body, key));
		}
		return Collections.min(traces, Comparator.comparing(List::size));
	}

	/**
	 * Returns the classes of the calls of one request, whose thread may still be at work
	 * when the client has the answer.
	 */
	private static List<String> recorded(String path, String body, String key) throws Exception {
		int before = quietTrace().size();
		send(path, body, key);
		List<String> calls = quietTrace();
		return calls.subList(before, calls.size());
	}

	private static List<String> quietTrace() throws IOException {
		AtomicLong before = new AtomicLong(-1);
		await().pollInterval(Duration.ofMillis(500)).until(() -> before.getAndSet(Files.size(trace)) == before.get());
		return Files.readAllLines(trace);
	}

	private static void send(String path, String body, String key) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
			.header("Authorization", "Basic " + Base64.getEncoder().encodeToString("alice:alice".getBytes(UTF_8)))
			.header("Idempotency-Key", key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body))
			.build();
		HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(sample::output).isEqualTo(201);
	}

	private static Path agent() throws Exception {
		Manifest manifest = new Manifest();
		Attributes attributes = manifest.getMainAttributes();
		attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
		attributes.put(new Attributes.Name("Premain-Class"), CallAgent.class.getName());
		attributes.put(Attributes.Name.CLASS_PATH,
				AgentBuilder.class.getProtectionDomain().getCodeSource().getLocation().toString());
		Path agent = directory.resolve("agent.jar");
		try (OutputStream out = Files.newOutputStream(agent);
				JarOutputStream jar = new JarOutputStream(out, manifest)) {
			for (Class<?> type : List.of(CallAgent.class, CallAgent.OnCall.class, CallRecorder.class)) {
				String name = type.getName().replace('.', '/') + ".class";
				jar.putNextEntry(new JarEntry(name));
				jar.write(type.getClassLoader().getResourceAsStream(name).readAllBytes());
			}
		}
		return agent;
	}

}
