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
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.sample.provider.Charge;
import dev.idempotency.sample.provider.ChargeRequest;
import dev.idempotency.sample.provider.PaymentProvider;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The payment provider starts and stops with the sample.
 */
@ExtendWith(OutputCaptureExtension.class)
class ProviderLifeTests {

	private static final ChargeRequest RIDE = new ChargeRequest(1250, "usd", "tok_visa", "A ride", Map.of());

	@Test
	void aRestartFindsTheChargesAndTheirKeys() {
		TestDatabase database = TestDatabase.create();
		Charge charge;
		try (ConfigurableApplicationContext context = start(database)) {
			charge = context.getBean(PaymentProvider.class).charge(RIDE, "k1");
		}
		try (ConfigurableApplicationContext context = start(database)) {
			assertThat(context.getBean(PaymentProvider.class).charge(RIDE, "k1")).isEqualTo(charge);
			assertThat(charges(context)).isEqualTo(1);
		}
	}

	@Test
	void aRequestInFlightStillReachesTheProviderWhileTheSampleStops() throws Exception {
		ConfigurableApplicationContext context = start(TestDatabase.create());
		PaymentProvider provider = context.getBean(PaymentProvider.class);
		HeldRide ride = context.getBean(HeldRide.class);
		int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
			.sendAsync(get(port, "/test/ride", "alice"), HttpResponse.BodyHandlers.ofString());
		assertThat(ride.arrived.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(context::close);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !accepts(port));
		ride.go.countDown();
		assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
		assertThat(answer.get().body()).startsWith("ch_");
		stopped.get(60, TimeUnit.SECONDS);
		assertThatIllegalStateException().isThrownBy(() -> provider.charge(RIDE, "k2"))
			.withMessage("The payment provider is not running");
	}

	@Test
	void aSampleThatCannotStartLeavesNoProviderBehind(CapturedOutput output) throws Exception {
		TestDatabase database = TestDatabase.create();
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThatExceptionOfType(ApplicationContextException.class)
				.isThrownBy(() -> start(database, "--server.port=" + taken.getLocalPort()))
				.withRootCauseInstanceOf(BindException.class);
		}
		Matcher provider = Pattern.compile("The payment provider is at http://127.0.0.1:(\\d+)").matcher(output);
		assertThat(provider.find()).isTrue();
		assertThat(accepts(Integer.parseInt(provider.group(1)))).isFalse();
	}

	@Test
	void aProviderThatIsSlowIsNotWaitedForForever() {
		try (ConfigurableApplicationContext context = start(TestDatabase.create(), "--sample.provider.latency=10m",
				"--sample.provider.read-timeout=200ms", "--sample.provider.retries=0")) {
			assertThatExceptionOfType(ResourceAccessException.class)
				.isThrownBy(() -> context.getBean(PaymentProvider.class).charge(RIDE, "k1"));
			assertThat(charges(context)).isZero();
		}
	}

	@Test
	void whatTheEnvironmentSaysAboutTheSampleIsNotMeantForTheProvider() throws Exception {
		TestDatabase database = TestDatabase.create();
		int port = freePort();
		Map<String, String> environment = new HashMap<>();
		environment.put("SPRING_DATASOURCE_URL", database.jdbcUrl());
		environment.put("SPRING_DATASOURCE_USERNAME", database.username());
		environment.put("SPRING_DATASOURCE_PASSWORD", database.password());
		environment.put("SERVER_PORT", Integer.toString(port));
		environment.put("SERVER_SERVLET_CONTEXT_PATH", "/app");
		environment.put("SPRING_APPLICATION_NAME", "other");
		environment.put("SPRING_CONFIG_NAME", "application");
		environment.put("SPRING_FLYWAY_LOCATIONS", "classpath:db/migration");
		environment.put("LOGGING_PATTERN_CONSOLE", "%msg%n");
		try (JavaProcess sample = JavaProcess.start(RocketRidesApplication.class, List.of(), environment)) {
			URI provider = URI.create(sample.awaitLine("The payment provider is at "));
			assertThat(provider.getPort()).isNotEqualTo(port);
			sample.awaitLine("Rocket Rides is at ");
			assertThat(HttpClient.newHttpClient()
				.send(get(port, "/app/provider/charges", "alice"), HttpResponse.BodyHandlers.ofString())
				.body()).isEqualTo("{\"count\":0}");
		}
	}

	private static ConfigurableApplicationContext start(TestDatabase database, String... arguments) {
		return new SpringApplicationBuilder(RocketRidesApplication.class, HeldRide.class).properties(
				Map.of("server.port", "0", "spring.datasource.url", database.jdbcUrl(), "spring.datasource.username",
						database.username(), "spring.datasource.password", database.password()))
			.run(arguments);
	}

	private static int charges(ConfigurableApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForList("select 1 from provider.charge").size();
	}

	private static HttpRequest get(int port, String path, String user) {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.header("Authorization", "Basic " + credentials)
			.build();
	}

	private static boolean accepts(int port) {
		try (Socket socket = new Socket("127.0.0.1", port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	/**
	 * Charges on demand.
	 */
	@RestController
	static class HeldRide {

		private final CountDownLatch arrived = new CountDownLatch(1);

		private final CountDownLatch go = new CountDownLatch(1);

		private final PaymentProvider provider;

		HeldRide(PaymentProvider provider) {
			this.provider = provider;
		}

		@GetMapping("/test/ride")
		String ride() throws InterruptedException {
			this.arrived.countDown();
			if (!this.go.await(60, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Nobody said go");
			}
			return this.provider.charge(RIDE, "k1").id();
		}

	}

}
