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
package dev.idempotency.conformance.phase;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Requests that are left to the completer when their lease expires, and requests that it
 * has to leave alone.
 */
class CompleterExpiryTests {

	private static final Queue<IdempotencyNotification> NOTIFICATIONS = new ConcurrentLinkedQueue<>();

	private static RunningApplication application;

	private static UnfinishedRequests requests;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Handlers.class, Listening.class),
				"idempotency.lease.on-expiry=complete", "idempotency.completer.interval=20ms",
				"idempotency.completer.after=1h", "idempotency.completer.max-attempts=2",
				"idempotency.reaper.interval=50ms");
		requests = application.context().getBean(UnfinishedRequests.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("P4")
	void aLeasedRequestWhoseOwnerIsGoneIsRefusedToItsSenderAndRunByTheCompleter() {
		assertCompletedAfterExpiry("/leased", "leased");
	}

	@Test
	@Tag("P4")
	void soIsOneThatIsTransactional() {
		assertCompletedAfterExpiry("/leased-transactional", "once");
	}

	private static void assertCompletedAfterExpiry(String path, String label) {
		Handlers.stopFirst(label);
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture
			.supplyAsync(() -> application.post(path, label));
		await().until(() -> Handlers.RUNS.get() == 1);
		expireAll();
		assertProblem(application.post(path, label), 409, "in-progress");
		assertThat(Handlers.RUNS.get()).isEqualTo(1);
		assertThat(requests.retry(requests.open(1).get(0).id())).isTrue();
		await().until(() -> requests.open(1).isEmpty());
		Handlers.proceed.countDown();
		HttpResponse<byte[]> overtaken = owner.join();
		assertThat(overtaken.statusCode() == 409 || isReplay(overtaken)).as("the owner was overtaken").isTrue();
		assertThat(isReplay(application.post(path, label))).isTrue();
		assertThat(application.effects(label)).isEqualTo(1);
		assertThat(Handlers.RUNS.get()).isEqualTo(2);
	}

	@Test
	void aLeasedRequestWithEffectsIsNotRunAgainAndWaitsForAHuman() {
		Handlers.stopFirst("effects");
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture
			.supplyAsync(() -> application.post("/leased-afterwards", "effects"));
		await().until(() -> application.effects("effects") == 1);
		expireAll();
		await().until(() -> requests.stuck(1).size() == 1);
		assertThat(requests.stuck(1).get(0).effects()).isTrue();
		assertThat(Handlers.RUNS.get()).isEqualTo(1);
		Handlers.proceed.countDown();
		assertThat(owner.join().statusCode()).isEqualTo(200);
		assertThat(requests.open(1)).isEmpty();
	}

	@Test
	@Tag("P6")
	void aStepThatThisVersionDoesNotKnowIsLeftAloneReportedAndCounted() {
		Handlers.RUNS.set(0);
		Handlers.newerVersion = true;
		assertThat(application.post("/rolling", "rolling").statusCode()).isEqualTo(500);
		Handlers.newerVersion = false;
		String id = requests.open(1).get(0).id();
		assertThat(requests.retry(id)).isTrue();
		await().until(() -> requests.stuck(1).size() == 1);
		assertThat(requests.find(id).orElseThrow().lastError()).contains("UnknownStepException");
		assertThat(requests.find(id).orElseThrow().attempts()).isEqualTo(3);
		assertThat(NOTIFICATIONS).filteredOn(UnknownStep.class::isInstance)
			.containsExactly(new UnknownStep("POST /rolling"), new UnknownStep("POST /rolling"));
		assertThat(application.effects("rolling new")).isEqualTo(1);
		Handlers.newerVersion = true;
		Handlers.RUNS.set(1);
		assertThat(requests.retry(id)).isTrue();
		await().until(() -> requests.find(id).isEmpty());
		assertThat(application.effects("rolling new")).isEqualTo(1);
		assertThat(application.effects("rolling")).isEqualTo(1);
	}

	private static void expireAll() {
		application.jdbc().update("update idempotency_lease set lease_until = clock_timestamp() where namespace <> ''");
	}

	@RestController
	static class Handlers {

		static final AtomicInteger RUNS = new AtomicInteger();

		static volatile CountDownLatch proceed = new CountDownLatch(0);

		static volatile String stopped = "";

		static volatile boolean newerVersion;

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		static void stopFirst(String label) {
			RUNS.set(0);
			proceed = new CountDownLatch(1);
			stopped = label;
		}

		private static void pass(String label) {
			if (RUNS.incrementAndGet() == 1 && label.equals(stopped)) {
				try {
					proceed.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-transactional")
		public Map<String, Object> transactional(@RequestBody Labelled body) {
			pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-afterwards")
		Map<String, Object> afterwards(@RequestBody Labelled body) {
			Object id = this.effects.record(body.label()).getId();
			pass(body.label());
			return Map.of("id", id);
		}

		@Idempotent
		@PostMapping("/rolling")
		Map<String, Object> rolling(@RequestBody Labelled body, Phases phases) {
			if (newerVersion) {
				phases.atomic("new", () -> {
					this.effects.record(body.label() + " new");
				});
				if (RUNS.get() == 0) {
					throw new IllegalStateException("the node of the new version goes down");
				}
			}
			return phases.finish(() -> Map.of("id", this.effects.record(body.label()).getId()));
		}

	}

	static class Listening implements IdempotencyListener {

		@Override
		public void onNotification(IdempotencyNotification notification) {
			NOTIFICATIONS.add(notification);
		}

	}

}
