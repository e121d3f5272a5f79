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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.assertRetryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The database cannot be asked whether a request may run. The answers arrive while it
 * still cannot, so the time is bounded.
 */
@Tag("postgresql")
class StoreOutageTests {

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Payments.class),
				"idempotency.store.timeout=500ms", "spring.datasource.hikari.connection-timeout=1000",
				"spring.datasource.hikari.validation-timeout=500");
	}

	@AfterEach
	void repair() {
		proxy.resume();
		proxy.goUp();
		application.awaitDatabase();
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	private static void assertRefusedWithoutRunning(String key) {
		int runs = Payments.RUNS.get();
		HttpResponse<byte[]> refused = application.post("/payments", key);
		assertProblem(refused, 503, "store-unavailable");
		assertRetryAfter(refused);
		assertThat(Payments.RUNS).hasValue(runs);
	}

	private static void assertRecovers(String key) {
		HttpResponse<byte[]> retry = await().until(() -> application.post("/payments", key),
				(response) -> response.statusCode() != 503);
		assertOriginal(retry, 201);
		application.awaitDatabase();
		assertReplay(application.post("/payments", key), retry);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	@Test
	@Tag("X13")
	void aDatabaseThatIsDownIsA503AndIsFoundAgainWithoutARestart() {
		proxy.goDown();
		assertRefusedWithoutRunning("down");
		proxy.goUp();
		assertRecovers("down");
	}

	@Test
	@Tag("X13")
	void aDatabaseThatDoesNotAnswerIsA503WithinTheTimeout() {
		assertOriginal(application.post("/payments", "warm"), 201);
		proxy.stall();
		assertRefusedWithoutRunning("stalled");
		proxy.resume();
		assertRecovers("stalled");
	}

	@Test
	@Tag("X13")
	void connectionsThatBreakBetweenTwoRequestsAreReplaced() {
		assertOriginal(application.post("/payments", "before"), 201);
		proxy.cut();
		assertRecovers("after");
	}

	@Test
	@Tag("X13")
	void anApplicationWhoseDatabaseIsDownDoesNotStartAndSaysWhy() {
		TestDatabase unreachable = proxy.database();
		proxy.goDown();
		String address = unreachable.jdbcUrl().replaceAll("jdbc:postgresql://([^/]+)/.*", "$1");
		assertThatThrownBy(
				() -> RunningApplication.start(unreachable, List.of(Payments.class), "spring.flyway.enabled=true"))
			.hasStackTraceContaining("Connection to " + address + " refused");
	}

	@RestController
	static class Payments {

		private static final AtomicInteger RUNS = new AtomicInteger();

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			RUNS.incrementAndGet();
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

}
