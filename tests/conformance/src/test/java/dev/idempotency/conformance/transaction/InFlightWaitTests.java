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

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.StoreWatch;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.assertRetryAfter;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The in-flight policy {@code wait}, on a pool of two connections, of which the first
 * delivery has one.
 */
class InFlightWaitTests {

	private static final int WAITERS = 8;

	private static HttpResponse<byte[]> pay(RunningApplication application) {
		return application.post(ALICE, "/slow-payments", "c4", Labelled.json("c4"));
	}

	private static RunningApplication start(String... properties) {
		return RunningApplication.start(List.of(ConcurrencyTests.Payments.class, StoreWatch.class), properties);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("C4")
	void waitersHoldNoConnectionAndGetTheAnswerOfTheFirstDelivery(boolean openInView) {
		try (RunningApplication application = start("idempotency.in-flight.policy=wait",
				"idempotency.in-flight.wait=60s", "spring.jpa.open-in-view=" + openInView,
				"spring.datasource.hikari.maximum-pool-size=2")) {
			Gates gates = application.context().getBean(Gates.class);
			StoreWatch store = application.context().getBean(StoreWatch.class);
			var pool = application.context().getBean(HikariDataSource.class).getHikariPoolMXBean();
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> pay(application));
			gates.awaitReached("c4");
			List<CompletableFuture<HttpResponse<byte[]>>> waiters = IntStream.range(0, WAITERS)
				.mapToObj((i) -> Parallel.start(() -> pay(application)))
				.toList();
			await().until(() -> store.refused() == WAITERS);
			await().until(() -> pool.getActiveConnections() == 1);
			assertThat(waiters).noneMatch(CompletableFuture::isDone);
			gates.open("c4");
			assertOriginal(owner.join(), 201);
			waiters.forEach((waiter) -> assertReplay(waiter.join(), owner.join()));
			assertThat(application.effects("c4")).isEqualTo(1);
		}
	}

	@Test
	@Tag("C4")
	void aWaiterWhosePatienceEndsIsRefusedAndTheFirstDeliveryKeepsItsClaim() {
		try (RunningApplication application = start("idempotency.in-flight.policy=wait",
				"idempotency.in-flight.wait=300ms")) {
			Gates gates = application.context().getBean(Gates.class);
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> pay(application));
			gates.awaitReached("c4");
			HttpResponse<byte[]> waiter = pay(application);
			assertProblem(waiter, 409, "in-progress");
			assertRetryAfter(waiter);
			assertProblem(pay(application), 409, "in-progress");
			assertThat(owner).isNotDone();
			gates.open("c4");
			assertOriginal(owner.join(), 201);
			assertReplay(pay(application), owner.join());
			assertThat(application.effects("c4")).isEqualTo(1);
		}
	}

	@Test
	@Tag("C4")
	@Tag("F14")
	void aFormWaitsByDefaultAndAnApiDoesNot() {
		try (RunningApplication application = RunningApplication
			.start(List.of(Forms.class, Gates.class, StoreWatch.class), "idempotency.in-flight.wait=60s")) {
			Gates gates = application.context().getBean(Gates.class);
			StoreWatch store = application.context().getBean(StoreWatch.class);
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> submit(application));
			gates.awaitReached("form");
			CompletableFuture<HttpResponse<byte[]>> again = Parallel.start(() -> submit(application));
			await().until(() -> store.refused() == 1);
			assertProblem(application.send(form(application, "label=form").header("Idempotency-Key", "form")), 409,
					"in-progress");
			assertThat(again).isNotDone();
			gates.open("form");
			assertOriginal(owner.join(), 200);
			assertReplay(again.join(), owner.join());
			assertThat(application.effects("form")).isEqualTo(1);
		}
	}

	@Test
	@Tag("C4")
	@Tag("F14")
	void aFormThatHasWaitedInVainIsRefusedWithThePageOfTheApplication() {
		try (RunningApplication application = RunningApplication.start(List.of(Forms.class, Gates.class),
				"idempotency.in-flight.wait=1ms")) {
			Gates gates = application.context().getBean(Gates.class);
			CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> submit(application));
			gates.awaitReached("form");
			HttpResponse<byte[]> refused = submit(application);
			assertThat(refused.statusCode()).isEqualTo(409);
			assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
			assertThat(refused.headers().allValues("Cache-Control")).contains("no-store");
			assertRetryAfter(refused);
			gates.open("form");
			assertOriginal(owner.join(), 200);
		}
	}

	private static HttpResponse<byte[]> submit(RunningApplication application) {
		return application
			.send(form(application, "label=form&_idempotency_key=form").header("Accept", "text/html,*/*;q=0.8"));
	}

	private static HttpRequest.Builder form(RunningApplication application, String fields) {
		return application.request(ALICE, "/forms")
			.header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString(fields));
	}

	@RestController
	static class Forms {

		private final Effects effects;

		private final Gates gates;

		Forms(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Idempotent
		@PostMapping("/forms")
		String submit(@RequestParam String label) {
			String made = String.valueOf(this.effects.record(label).getId());
			this.gates.pass(label);
			return made;
		}

	}

}
