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
package dev.idempotency.conformance;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Idempotent;
import dev.idempotency.Mode;
import dev.idempotency.Required;
import dev.idempotency.conformance.app.CostMeter;
import dev.idempotency.conformance.app.CostMeter.Cost;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.PostgresTap;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a protected request costs the database, exactly. The server has no autovacuum,
 * which would take transaction ids of its own.
 */
@Tag("COST")
class CostTests {

	/** How long a connection may be idle before Hikari tests it, with a round trip. */
	private static final String BYPASS_WINDOW = "com.zaxxer.hikari.aliveBypassWindowMs";

	private static final String BODY = "{\"label\":\"cost\"}";

	private static DedicatedServer server;

	private static PostgresTap tap;

	private static RunningApplication application;

	private static HikariDataSource pool;

	private static CostMeter meter;

	@BeforeAll
	static void start() {
		server = TestDatabase.startDedicatedServer(Map.of("autovacuum", "off"));
		TestDatabase database = server.createDatabase();
		tap = PostgresTap.open(database);
		System.setProperty(BYPASS_WINDOW, "3600000");
		try {
			application = RunningApplication.start(tap.database(), List.of(Payments.class),
					"spring.datasource.hikari.maximum-pool-size=2", "spring.datasource.hikari.minimum-idle=2",
					"spring.datasource.hikari.keepalive-time=0", "idempotency.reaper.enabled=false",
					"idempotency.completer.enabled=false");
			pool = application.context().getBean(HikariDataSource.class);
		}
		finally {
			System.clearProperty(BYPASS_WINDOW);
		}
		String name = database.jdbcUrl().substring(database.jdbcUrl().lastIndexOf('/') + 1);
		meter = new CostMeter(tap, pool, server.createDatabase(), name);
		warmUp();
	}

	/**
	 * The driver changes how it sends a statement at its fifth execution.
	 */
	private static void warmUp() {
		for (int i = 0; i < 20; i++) {
			post("/plain", newKey());
			String key = newKey();
			post("/protected", key);
			post("/protected", key);
			post("/leased", newKey());
			post("/leased-transactional", newKey());
			post("/phased", newKey());
		}
	}

	@AfterAll
	static void stop() {
		application.close();
		tap.close();
		server.close();
	}

	@Test
	void theMeterItselfCostsNothing() {
		assertThat(meter.measure(() -> {
		})).isEqualTo(new Cost(List.of(), 0, 0, 0, 0));
	}

	@Test
	void anUnannotatedHandlerCostsWhatItCostsWithoutTheLibrary() {
		Cost cost = meter.measure(() -> post("/plain", newKey()));
		assertThat(cost).isEqualTo(new Cost(List.of("BEGIN; insert effect", "COMMIT"), 1, 1, 0, 1));
	}

	@Test
	void anOptionalKeyThatIsAbsentCostsNothing() {
		Cost cost = meter.measure(() -> application.send(application.json(ALICE, "/optional", BODY)));
		assertThat(cost).isEqualTo(new Cost(List.of("BEGIN; insert effect", "COMMIT"), 1, 1, 0, 1));
	}

	@Test
	void aFirstRequestCostsTwoRoundTripsAndNoCommitOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost fresh = meter.measure(() -> post("/protected", newKey()));
		assertThat(fresh.roundTrips()).containsExactly("BEGIN; select; select idempotency_record", "insert effect",
				"insert idempotency_record", "COMMIT");
		assertThat(fresh.roundTrips()).hasSize(plain.roundTrips().size() + 2);
		assertThat(fresh.statements()).isEqualTo(plain.statements() + 3);
		assertThat(fresh.commits()).isEqualTo(plain.commits()).isEqualTo(1);
		assertThat(fresh.rollbacks()).isZero();
		assertThat(fresh.transactionIds()).isEqualTo(plain.transactionIds()).isEqualTo(1);
	}

	/**
	 * The claim has a commit of its own, and so has the answer, because the service's
	 * transaction has ended before there is one. What the service does carries the fence.
	 */
	@Test
	void aLeasedRequestCostsThreeRoundTripsAndTwoCommitsOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost leased = meter.measure(() -> post("/leased", newKey()));
		assertThat(leased.roundTrips()).containsExactly("select; insert idempotency_lease; select idempotency_record",
				"BEGIN; update idempotency_lease", "insert effect", "COMMIT", "with idempotency_lease");
		assertThat(leased.roundTrips()).hasSize(plain.roundTrips().size() + 3);
		assertThat(leased.commits()).isEqualTo(plain.commits() + 2);
	}

	@Test
	void aLeasedHandlerWithATransactionOfItsOwnCostsTwoRoundTripsAndOneCommitOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost leased = meter.measure(() -> post("/leased-transactional", newKey()));
		assertThat(leased.roundTrips()).containsExactly("select; insert idempotency_lease; select idempotency_record",
				"BEGIN; insert effect", "with idempotency_lease", "COMMIT");
		assertThat(leased.roundTrips()).hasSize(plain.roundTrips().size() + 2);
		assertThat(leased.commits()).isEqualTo(plain.commits() + 1);
	}

	/**
	 * A local phase holds its claim before and stores its result after what it does; a
	 * call of another system is between a look at the claim and the result, which commits
	 * by itself; the last phase holds its claim and ends it with the answer.
	 */
	@Test
	void aRequestInPhasesCostsItsClaimAndTwoRoundTripsForEachOfThem() {
		Cost phased = meter.measure(() -> post("/phased", newKey()));
		String setting = "select; ";
		assertThat(phased.roundTrips()).containsExactly("select; insert idempotency_lease; select idempotency_record",
				"BEGIN; set; select; select; select idempotency_lease; select", "insert effect",
				setting + "update idempotency_lease; select", "COMMIT", "select idempotency_lease",
				setting + "update idempotency_lease; select",
				"BEGIN; set; select; select; select idempotency_lease; select", "insert effect",
				setting + "with idempotency_lease; select", "COMMIT");
		assertThat(phased.commits()).isEqualTo(5);
		assertThat(phased.rollbacks()).isZero();
	}

	@Test
	void aReplayReadsInOneRoundTripAndTakesNoTransactionId() {
		String key = newKey();
		post("/protected", key);
		Cost replay = meter.measure(() -> assertThat(post("/protected", key).headers().map())
			.containsEntry("idempotent-replayed", List.of("true")));
		assertThat(replay).isEqualTo(readAndEnd());
	}

	@Test
	void aMismatchReadsInOneRoundTripAndTakesNoTransactionId() {
		String key = newKey();
		post("/protected", key);
		Cost mismatch = meter
			.measure(() -> assertThat(application.post(ALICE, "/protected", key, "{\"label\":\"other\"}").statusCode())
				.isEqualTo(422));
		assertThat(mismatch).isEqualTo(readAndEnd());
	}

	@Test
	void aDuplicateInFlightIsRefusedInOneRoundTripAndHoldsNoConnectionAfterwards() throws Exception {
		String key = newKey();
		CompletableFuture<HttpResponse<byte[]>> owner = CompletableFuture.supplyAsync(() -> post("/blocked", key));
		Payments.entered.await();
		try {
			Cost duplicate = meter.measure(() -> {
				assertThat(post("/blocked", key).statusCode()).isEqualTo(409);
				assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
			});
			assertThat(duplicate).isEqualTo(readAndEnd());
		}
		finally {
			Payments.proceed.countDown();
		}
		assertThat(owner.join().statusCode()).isEqualTo(200);
	}

	/**
	 * Begin, lock and read in one round trip. The end of a transaction that wrote nothing
	 * is a message of its own in JDBC, and no work for the database: nothing is flushed
	 * to disk.
	 */
	private static Cost readAndEnd() {
		return new Cost(List.of("BEGIN; select; select idempotency_record", "ROLLBACK"), 2, 0, 1, 0);
	}

	private static String newKey() {
		return UUID.randomUUID().toString();
	}

	private static HttpResponse<byte[]> post(String path, String key) {
		return application.post(ALICE, path, key, BODY);
	}

	@RestController
	static class Payments {

		static final CountDownLatch entered = new CountDownLatch(1);

		static final CountDownLatch proceed = new CountDownLatch(1);

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@PostMapping("/plain")
		Map<String, Object> plain(@RequestBody Map<String, String> payment) {
			return record(payment);
		}

		@Idempotent
		@PostMapping("/protected")
		Map<String, Object> pay(@RequestBody Map<String, String> payment) {
			return record(payment);
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-transactional")
		public Map<String, Object> payLeasedInTransaction(@RequestBody Map<String, String> payment) {
			return record(payment);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> payLeased(@RequestBody Map<String, String> payment) {
			return record(payment);
		}

		@Idempotent
		@PostMapping("/phased")
		Map<String, Object> payInPhases(@RequestBody Map<String, String> payment, Phases phases) {
			phases.atomic("created", () -> record(payment));
			phases.foreign("charged", String.class, (key) -> key);
			return phases.finish(() -> record(payment));
		}

		@Idempotent(required = Required.FALSE)
		@PostMapping("/optional")
		Map<String, Object> payWithOrWithoutKey(@RequestBody Map<String, String> payment) {
			return record(payment);
		}

		@Idempotent
		@PostMapping("/blocked")
		Map<String, Object> payLater(@RequestBody Map<String, String> payment) throws InterruptedException {
			entered.countDown();
			proceed.await();
			return record(payment);
		}

		private Map<String, Object> record(Map<String, String> payment) {
			return Map.of("id", this.effects.record(payment.getOrDefault("label", "none")).getId());
		}

	}

}
