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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.StoreHook;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Heartbeats that go wrong, once each.
 */
@Tag("postgresql")
@Tag("X22")
class HeartbeatTests {

	private static final Gates GATES = new Gates();

	private static FaultyProxy proxy;

	private static RunningApplication application;

	private static JdbcTemplate observer;

	@BeforeAll
	static void start() {
		TestDatabase database = MigratedDatabase.create();
		proxy = FaultyProxy.before(database);
		application = RunningApplication.start(proxy.database(), List.of(Handlers.class, StoreHook.class),
				"idempotency.lease.duration=6s", "spring.datasource.hikari.maximum-pool-size=2",
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false");
		observer = new JdbcTemplate(new org.springframework.jdbc.datasource.DriverManagerDataSource(database.jdbcUrl(),
				database.username(), database.password()));
	}

	@AfterAll
	static void stop() {
		application.close();
		proxy.close();
	}

	@Test
	void aHeartbeatThatTheNetworkSwallowsCostsNoLease() {
		assertLeaseIsKept("swallowed", () -> {
			proxy.swallowNext("update idempotency_lease set lease_until");
			await().until(() -> !proxy.isSwallowPending());
		});
	}

	@Test
	void anErrorInAHeartbeatCostsNoLease() {
		StoreHook hook = application.context().getBean(StoreHook.class);
		assertLeaseIsKept("error", () -> {
			hook.before("extend", () -> {
				throw new NoClassDefFoundError("as when a class cannot be loaded");
			});
			await().until(hook::isDone);
		});
	}

	@Test
	void requestsThatUseThePoolUpKeepNoHeartbeatFromExtendingLeases() throws SQLException {
		DataSource pool = application.context().getBean(DataSource.class);
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", "pool"));
		GATES.awaitReached("pool");
		try (Connection first = pool.getConnection(); Connection second = pool.getConnection()) {
			assertThat(first).isNotSameAs(second);
			awaitExtensions(3);
		}
		GATES.open("pool");
		assertOriginal(owner.join(), 200);
	}

	private static void assertLeaseIsKept(String key, Runnable fault) {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", key));
		GATES.awaitReached(key);
		Handlers.NOTIFICATIONS.clear();
		fault.run();
		awaitExtensions(2);
		assertThat(Handlers.NOTIFICATIONS).as("a missed beat is visible").contains(StoreFailed.extending());
		assertProblem(application.post("/gated", key), 409, "in-progress");
		GATES.open(key);
		assertOriginal(owner.join(), 200);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	/**
	 * Extensions after this moment, before each of which the lease has still held.
	 */
	private static void awaitExtensions(int count) {
		for (int i = 0; i < count; i++) {
			Map<String, Object> before = lease();
			await().atMost(Duration.ofMinutes(1)).until(() -> {
				Map<String, Object> now = lease();
				assertThat(now.get("held")).as("the lease holds").isEqualTo(true);
				return !now.get("lease_until").equals(before.get("lease_until"));
			});
		}
	}

	private static Map<String, Object> lease() {
		return observer.queryForMap(
				"select lease_until, lease_until > clock_timestamp() as held from idempotency_lease where namespace <> ''");
	}

	@RestController
	static class Handlers implements IdempotencyListener {

		static final Queue<IdempotencyNotification> NOTIFICATIONS = new ConcurrentLinkedQueue<>();

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/gated")
		Map<String, Object> gated(@RequestBody Labelled body) {
			GATES.pass(body.label());
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Override
		public void onNotification(IdempotencyNotification notification) {
			NOTIFICATIONS.add(notification);
		}

	}

}
