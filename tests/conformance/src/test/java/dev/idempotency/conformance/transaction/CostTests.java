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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.conformance.app.CostMeter;
import dev.idempotency.conformance.app.CostMeter.Cost;
import dev.idempotency.conformance.app.CreatedExceptions;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.PostgresTap;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The exact cost of a protected request for the database. The server has no autovacuum,
 * which would take additional transaction ids.
 */
@Tag("postgresql")
@Tag("COST")
class CostTests {

	private static final String BODY = "{\"label\":\"cost\"}";

	private static DedicatedServer server;

	private static PostgresTap tap;

	private static RunningApplication application;

	private static RunningApplication otherNode;

	private static HikariDataSource pool;

	private static CostMeter meter;

	@BeforeAll
	static void start() {
		server = TestDatabase.startDedicatedServer(Map.of("autovacuum", "off"));
		TestDatabase database = server.createDatabase();
		tap = PostgresTap.open(database);
		application = start(tap.database());
		otherNode = start(database);
		pool = application.context().getBean(HikariDataSource.class);
		String name = database.jdbcUrl().substring(database.jdbcUrl().lastIndexOf('/') + 1);
		meter = new CostMeter(tap, List.of(pool, otherNode.context().getBean(HikariDataSource.class)),
				server.createDatabase(), name);
		warmUp();
	}

	private static RunningApplication start(TestDatabase database) {
		return CostMeter.withoutTestsOfConnections(() -> RunningApplication.start(database, List.of(Payments.class),
				"spring.datasource.hikari.maximum-pool-size=2", "spring.datasource.hikari.minimum-idle=2",
				"spring.datasource.hikari.keepalive-time=0", "idempotency.reaper.enabled=false",
				"idempotency.completer.enabled=false",
				// A slow machine would send a heartbeat during a measurement
				"idempotency.lease.duration=10m"));
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
			String fromOtherNode = newKey();
			otherNode.post(ALICE, "/protected", fromOtherNode, BODY);
			assertReplay(fromOtherNode);
			post("/leased", newKey());
			post("/leased-transactional", newKey());
			post("/phased", newKey());
		}
	}

	@AfterAll
	static void stop() {
		application.close();
		otherNode.close();
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

	/**
	 * An exception costs its stack trace, whether it is thrown or not.
	 */
	@Test
	void aRequestThatSucceedsMakesTheLibraryCreateNoException() {
		assertThat(CreatedExceptions.during(() -> {
			post("/plain", newKey());
			post("/protected", newKey());
			post("/leased", newKey());
			post("/leased-transactional", newKey());
			post("/phased", newKey());
		})).isEmpty();
	}

	@Test
	void anOptionalKeyThatIsAbsentCostsNothing() {
		Cost cost = meter.measure(() -> application.send(application.json(ALICE, "/optional", BODY)));
		assertThat(cost).isEqualTo(new Cost(List.of("BEGIN; insert effect", "COMMIT"), 1, 1, 0, 1));
	}

	@Test
	void aFirstRequestCostsOneRoundTripAndNoCommitOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost fresh = meter.measure(() -> post("/protected", newKey()));
		assertThat(fresh.roundTrips()).containsExactly("BEGIN; select; select idempotency_record", "insert effect",
				"insert idempotency_record; commit");
		assertThat(fresh.roundTrips()).hasSize(plain.roundTrips().size() + 1);
		assertThat(fresh.statements()).isEqualTo(plain.statements() + 3);
		assertThat(fresh.commits()).isEqualTo(plain.commits()).isEqualTo(1);
		assertThat(fresh.rollbacks()).isZero();
		assertThat(fresh.transactionIds()).isEqualTo(plain.transactionIds()).isEqualTo(1);
	}

	/**
	 * The claim has a separate commit, and so has the answer, because the service's
	 * transaction has ended before there is one. With JPA the fence goes with the
	 * service's commit.
	 */
	@Test
	@Tag("jpa")
	void aLeasedRequestCostsTwoRoundTripsAndTwoCommitsOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost leased = meter.measure(() -> post("/leased", newKey()));
		assertThat(leased.roundTrips()).containsExactly("select; with idempotency_record", "BEGIN; insert effect",
				"with held; commit", "with idempotency_lease");
		assertThat(leased.roundTrips()).hasSize(plain.roundTrips().size() + 2);
		assertThat(leased.commits()).isEqualTo(plain.commits() + 2);
	}

	@Test
	void aLeasedHandlerWithATransactionOfItsOwnCostsOneRoundTripAndOneCommitOnTopOfItsOwn() {
		Cost plain = meter.measure(() -> post("/plain", newKey()));
		Cost leased = meter.measure(() -> post("/leased-transactional", newKey()));
		assertThat(leased.roundTrips()).containsExactly("select; with idempotency_record", "BEGIN; insert effect",
				"with idempotency_lease; commit");
		assertThat(leased.roundTrips()).hasSize(plain.roundTrips().size() + 1);
		assertThat(leased.commits()).isEqualTo(plain.commits() + 1);
	}

	/**
	 * A local phase holds its claim before and stores its result after what it does; a
	 * call of another system is between a look at the claim and the result, which commits
	 * on its own; the last phase holds its claim, and ends it with the answer and the
	 * COMMIT.
	 */
	@Test
	void aRequestInPhasesCostsItsClaimAndTwoRoundTripsForEachOfThem() {
		Cost phased = meter.measure(() -> post("/phased", newKey()));
		assertThat(phased.roundTrips()).containsExactly("select; with idempotency_record",
				"BEGIN; set; select; select idempotency_lease", "insert effect", "update idempotency_lease", "COMMIT",
				"select idempotency_lease", "update idempotency_lease", "BEGIN; set; select; select idempotency_lease",
				"insert effect", "with idempotency_lease; commit");
		assertThat(phased.commits()).isEqualTo(5);
		assertThat(phased.rollbacks()).isZero();
	}

	/**
	 * Only a key that is used again before the reaper has deleted its record pays for it.
	 */
	@Test
	void aRecordThatHasExpiredAndIsStillThereCostsItsSuccessorOneRoundTrip() {
		String key = newKey();
		otherNode.post(ALICE, "/protected", key, BODY);
		application.jdbc().update("update idempotency_record set expires_at = now() - interval '1 second'");
		Cost again = meter.measure(
				() -> assertThat(post("/protected", key).headers().map()).doesNotContainKey("idempotent-replayed"));
		assertThat(again.roundTrips()).containsExactly("BEGIN; select; select idempotency_record",
				"delete idempotency_record", "insert effect", "insert idempotency_record; commit");
		assertThat(again.commits()).isEqualTo(1);
		assertReplay("/protected", key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/protected", "/leased", "/leased-transactional", "/phased" })
	void aReplayIsOneRoundTripThatReads(String path) {
		String key = newKey();
		post(path, key);
		Cost replay = meter.measure(() -> assertReplay(path, key));
		assertThat(replay).isEqualTo(oneRead());
	}

	@Test
	void aMismatchIsOneRoundTripThatReads() {
		String key = newKey();
		post("/protected", key);
		Cost mismatch = meter
			.measure(() -> assertThat(application.post(ALICE, "/protected", key, "{\"label\":\"other\"}").statusCode())
				.isEqualTo(422));
		assertThat(mismatch).isEqualTo(oneRead());
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
			assertThat(duplicate).isEqualTo(oneRead());
		}
		finally {
			Payments.proceed.countDown();
		}
		assertThat(owner.join().statusCode()).isEqualTo(200);
	}

	/**
	 * A node that has not seen the key begins the transaction in which it would execute
	 * the request. The end of one that wrote nothing is a separate message in JDBC, and
	 * no work for the database: nothing is flushed to disk.
	 */
	@Test
	void theFirstReplayAtAnotherNodeHasATransactionToEnd() {
		String key = newKey();
		otherNode.post(ALICE, "/protected", key, BODY);
		assertThat(meter.measure(() -> assertReplay(key)))
			.isEqualTo(new Cost(List.of("BEGIN; select; select idempotency_record", "ROLLBACK"), 2, 0, 1, 0));
		assertThat(meter.measure(() -> assertReplay(key))).isEqualTo(oneRead());
	}

	@Test
	void aRetryOfARequestThatFailedIsOneReadMoreThanAFirstRequest() {
		String key = newKey();
		Cost fresh = meter.measure(() -> post("/protected", newKey()));
		assertThat(post("/failing-once", key).statusCode()).isEqualTo(503);
		Cost retry = meter.measure(() -> assertThat(post("/failing-once", key).statusCode()).isEqualTo(200));
		List<String> expected = new ArrayList<>(oneRead().roundTrips());
		expected.addAll(fresh.roundTrips());
		assertThat(retry.roundTrips()).isEqualTo(expected);
		assertThat(retry.transactionIds()).isEqualTo(1);
	}

	/**
	 * Locks and reads in one message, which is a transaction: no transaction id, and
	 * nothing that is flushed to disk.
	 */
	private static Cost oneRead() {
		return new Cost(List.of("select; select idempotency_record"), 2, 1, 0, 0);
	}

	private static void assertReplay(String key) {
		assertReplay("/protected", key);
	}

	private static void assertReplay(String path, String key) {
		assertThat(post(path, key).headers().map()).containsEntry("idempotent-replayed", List.of("true"));
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

		private final AtomicBoolean failed = new AtomicBoolean();

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
		Map<String, Object> payLeasedInTransaction(@RequestBody Map<String, String> payment) {
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
		@PostMapping("/failing-once")
		Map<String, Object> payTheSecondTime(@RequestBody Map<String, String> payment) {
			if (this.failed.compareAndSet(false, true)) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
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
