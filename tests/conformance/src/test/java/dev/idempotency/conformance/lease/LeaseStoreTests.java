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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertRetryAfter;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The fate of a claim when the store is gone. The rules of the store itself are in its
 * contract, see {@link PostgresStoreTests}.
 */
@Tag("postgresql")
class LeaseStoreTests {

	private static final Gates GATES = new Gates();

	private static FaultyProxy proxy;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		proxy = FaultyProxy.before(MigratedDatabase.create());
		application = RunningApplication.start(proxy.database(), List.of(Handlers.class),
				"spring.datasource.hikari.connection-timeout=1000", "idempotency.reaper.enabled=false");
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	@Test
	@Tag("X13")
	void aStoreThatIsGoneAtTheFinishMeansNoSecondRunWithinTheLeaseAndAnAlarm() {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> post("x13"));
		GATES.awaitReached("x13");
		Handlers.NOTIFICATIONS.clear();
		proxy.goDown();
		GATES.open("x13");
		HttpResponse<byte[]> first = owner.join();
		proxy.goUp();
		application.awaitDatabase();
		assertProblem(first, 503, "store-unavailable");
		assertRetryAfter(first);
		assertThat(Handlers.NOTIFICATIONS).contains(new StoreFailed("POST /foreign", StorePhase.FINISH));
		HttpResponse<byte[]> second = await().until(() -> post("x13"), (response) -> response.statusCode() != 503);
		assertProblem(second, 409, "in-progress");
		assertThat(Handlers.RUNS).hasValue(1);
		application.jdbc().update("update idempotency_lease set lease_until = clock_timestamp() where namespace <> ''");
		assertThat(post("x13").statusCode()).isEqualTo(200);
		assertThat(Handlers.RUNS).hasValue(2);
	}

	@Test
	@Tag("X12")
	void aLocalCommitWhoseReplyIsLostIsNotMadeTwice() {
		HttpResponse<byte[]> first = post("/local", "reply-lost");
		assertThat(first.statusCode()).isEqualTo(500);
		await().until(() -> application.effects("reply-lost") == 1);
		assertProblem(post("/local", "reply-lost"), 409, "in-progress");
		assertThat(application.effects("reply-lost")).isEqualTo(1);
	}

	@Test
	@Tag("X12")
	void aLocalCommitThatNeverArrivedIsMadeByTheRetry() {
		HttpResponse<byte[]> first = post("/local", "request-lost");
		assertThat(first.statusCode()).isEqualTo(500);
		assertThat(application.effects("request-lost")).isZero();
		HttpResponse<byte[]> second = await().until(() -> post("/local", "request-lost"),
				(response) -> response.statusCode() != 409);
		assertThat(second.statusCode()).isEqualTo(200);
		assertThat(application.effects("request-lost")).isEqualTo(1);
	}

	private static HttpResponse<byte[]> post(String key) {
		return post("/foreign", key);
	}

	private static HttpResponse<byte[]> post(String path, String key) {
		return application.post(ALICE, path, key, Labelled.json(key));
	}

	@RestController
	static class Handlers implements IdempotencyListener {

		static final Queue<IdempotencyNotification> NOTIFICATIONS = new ConcurrentLinkedQueue<>();

		static final Set<String> FAULTY = ConcurrentHashMap.newKeySet();

		static final AtomicInteger RUNS = new AtomicInteger();

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		/**
		 * The first commit of a label meets the fault that the label names.
		 */
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/local")
		Map<String, Object> local(@RequestBody Labelled body) {
			if (FAULTY.add(body.label())) {
				proxy.failNextCommit(
						body.label().equals("reply-lost") ? CommitFault.REPLY_LOST : CommitFault.REQUEST_LOST);
			}
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/foreign")
		Map<String, Object> foreign(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return Map.of("run", RUNS.incrementAndGet());
		}

		@Override
		public void onNotification(IdempotencyNotification notification) {
			NOTIFICATIONS.add(notification);
		}

	}

}
