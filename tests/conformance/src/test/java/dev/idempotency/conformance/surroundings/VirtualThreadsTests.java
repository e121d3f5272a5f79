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
package dev.idempotency.conformance.surroundings;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Virtual threads, with and without open-in-view; without them run all other tests. On a
 * JVM without virtual threads the setting has no effect, and must do no harm.
 */
class VirtualThreadsTests {

	private static final AtomicBoolean SPINNING = new AtomicBoolean();

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("O6")
	void theFirstPromiseHoldsOnVirtualThreads(boolean openInView) {
		try (RunningApplication application = RunningApplication.start(Payments.class,
				"spring.threads.virtual.enabled=true", "spring.jpa.open-in-view=" + openInView)) {
			List<HttpResponse<byte[]>> responses = Parallel.run(20, () -> pay(application));
			assertThat(application.effects("o6")).isEqualTo(1);
			List<HttpResponse<byte[]>> created = responses.stream().filter((r) -> r.statusCode() == 201).toList();
			assertThat(created).filteredOn((response) -> !Exchanges.isReplay(response)).hasSize(1);
			assertThat(responses).filteredOn((response) -> response.statusCode() != 201)
				.allSatisfy((response) -> assertProblem(response, 409, "in-progress"));
			assertReplay(pay(application), created.get(0));
			boolean ranOnVirtualThread = Runtime.version().feature() >= 21;
			assertThat(text(created.get(0))).contains("\"virtual\":" + ranOnVirtualThread);
		}
	}

	/**
	 * As many requests as there are carriers do not give theirs back. The heartbeat does
	 * not need one.
	 */
	@Test
	@Tag("C8")
	@Tag("O6")
	void leasesAreKeptWhileHandlersHoldAllCarriers() {
		try (RunningApplication application = RunningApplication.start(Payments.class,
				"spring.threads.virtual.enabled=true", "idempotency.lease.duration=2s")) {
			SPINNING.set(true);
			int carriers = Runtime.getRuntime().availableProcessors();
			List<CompletableFuture<HttpResponse<byte[]>>> owners = IntStream.range(0, carriers)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> spin(application, i)))
				.toList();
			await().atMost(Duration.ofMinutes(1)).until(() -> leases(application, "true") == carriers);
			await().atMost(Duration.ofMinutes(1))
				.until(() -> leases(application,
						"lease_until > created_at + interval '4s' and lease_until > clock_timestamp()") == carriers);
			SPINNING.set(false);
			owners.forEach((owner) -> assertThat(owner.join().statusCode()).isEqualTo(201));
			assertThat(application.effects("spin")).isEqualTo(carriers);
			assertThat(leases(application, "true")).isZero();
		}
		finally {
			SPINNING.set(false);
		}
	}

	private static HttpResponse<byte[]> spin(RunningApplication application, int i) {
		return application.post(ALICE, "/spin", "spin-" + i, Labelled.json("spin"));
	}

	private static int leases(RunningApplication application, String condition) {
		Integer count = application.jdbc()
			.queryForObject("select count(*) from idempotency_lease where namespace <> '' and " + condition,
					Integer.class);
		return (count != null) ? count : -1;
	}

	private static HttpResponse<byte[]> pay(RunningApplication application) {
		return application.post(ALICE, "/payments", "o6", Labelled.json("o6"));
	}

	@RestController
	static class Payments {

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/spin")
		@ResponseStatus(HttpStatus.CREATED)
		void spin(@RequestBody Labelled payment) {
			while (SPINNING.get()) {
				Thread.onSpinWait();
			}
			this.effects.record(payment.label());
		}

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId(), "virtual",
					Thread.currentThread().getThreadGroup().getName().equals("VirtualThreads"));
		}

	}

}
