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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.assertRetryAfter;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Duplicates at the same time, on a pool of three connections. Each 409 here is answered
 * while the first delivery stands at a gate that is still closed, so it cannot have
 * waited for it.
 */
class ConcurrencyTests {

	private static final int POOL = 3;

	private static RunningApplication application;

	private static Gates gates;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class, "spring.datasource.hikari.maximum-pool-size=" + POOL);
		gates = application.context().getBean(Gates.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static CompletableFuture<HttpResponse<byte[]>> startSlowPayment(String key) {
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel
			.start(() -> application.post(ALICE, "/slow-payments", key, Labelled.json(key)));
		gates.awaitReached(key);
		return owner;
	}

	@Test
	@Tag("C1")
	void fiftyIdenticalRequestsAtOnceHaveOneEffectAndOneOriginalAnswer() {
		List<HttpResponse<byte[]>> responses = Parallel.run(50, () -> application.post("/payments", "c1"));
		assertThat(application.effects("c1")).isEqualTo(1);
		List<HttpResponse<byte[]>> created = responses.stream().filter((r) -> r.statusCode() == 201).toList();
		assertThat(created).filteredOn((response) -> !Exchanges.isReplay(response)).hasSize(1);
		assertThat(created).extracting(Exchanges::text).containsOnly(Exchanges.text(created.get(0)));
		assertThat(responses).filteredOn((response) -> response.statusCode() != 201)
			.allSatisfy((response) -> assertProblem(response, 409, "in-progress"));
		assertReplay(application.post("/payments", "c1"), created.get(0));
	}

	@Test
	@Tag("C3")
	void aDuplicateInFlightIsRefusedAtOnceAndToldWhenToComeBack() {
		CompletableFuture<HttpResponse<byte[]>> owner = startSlowPayment("c3");
		HttpResponse<byte[]> duplicate = application.post(ALICE, "/slow-payments", "c3", Labelled.json("c3"));
		assertProblem(duplicate, 409, "in-progress");
		assertRetryAfter(duplicate);
		assertThat(duplicate.headers().firstValue("Cache-Control")).contains("no-store");
		assertThat(owner).isNotDone();
		gates.open("c3");
		assertOriginal(owner.join(), 201);
		assertReplay(application.post(ALICE, "/slow-payments", "c3", Labelled.json("c3")), owner.join());
		assertThat(application.effects("c3")).isEqualTo(1);
	}

	@Test
	@Tag("F2")
	void aChangedRequestInFlightIsRefusedAsInFlightAndAfterwardsAsReused() {
		CompletableFuture<HttpResponse<byte[]>> owner = startSlowPayment("f2");
		assertProblem(application.post(ALICE, "/slow-payments", "f2", Labelled.json("changed")), 409, "in-progress");
		gates.open("f2");
		assertOriginal(owner.join(), 201);
		assertProblem(application.post(ALICE, "/slow-payments", "f2", Labelled.json("changed")), 422, "key-reused");
		assertThat(application.effects("changed")).isZero();
	}

	@Test
	@Tag("C5")
	void duplicatesOfOneSlowRequestLeaveASmallPoolToOthers() {
		CompletableFuture<HttpResponse<byte[]>> owner = startSlowPayment("c5");
		List<HttpResponse<byte[]>> duplicates = Parallel.run(30,
				() -> application.post(ALICE, "/slow-payments", "c5", Labelled.json("c5")));
		assertThat(duplicates).allSatisfy((response) -> assertProblem(response, 409, "in-progress"));
		List<HttpResponse<byte[]>> unrelated = Parallel.run(2 * POOL,
				() -> application.send(application.request(BOB, "/effects")));
		assertThat(unrelated).allSatisfy((response) -> assertThat(response.statusCode()).isEqualTo(200));
		assertOriginal(application.post("/payments", "c5-other"), 201);
		assertThat(owner).isNotDone();
		gates.open("c5");
		assertOriginal(owner.join(), 201);
		assertThat(application.effects("c5")).isEqualTo(1);
	}

	@Test
	@Tag("C6")
	void differentKeysRunSideBySide() {
		List<CompletableFuture<HttpResponse<byte[]>>> owners = List.of(startSlowPayment("c6-1"),
				startSlowPayment("c6-2"), startSlowPayment("c6-3"));
		assertThat(owners).allSatisfy((owner) -> assertThat(owner).isNotDone());
		for (int i = 1; i <= owners.size(); i++) {
			gates.open("c6-" + i);
			assertOriginal(owners.get(i - 1).join(), 201);
		}
	}

	@Test
	@Tag("C7")
	void tenRequestsAtOnceOnAnExpiredRecordHaveOneEffect() {
		assertOriginal(application.post("/payments", "c7"), 201);
		application.jdbc().update("update idempotency_record set expires_at = clock_timestamp()");
		List<HttpResponse<byte[]>> responses = Parallel.run(10, () -> application.post("/payments", "c7"));
		assertThat(application.effects("c7")).isEqualTo(2);
		assertThat(responses).filteredOn((r) -> r.statusCode() == 201 && !Exchanges.isReplay(r)).hasSize(1);
		assertThat(responses).filteredOn((response) -> response.statusCode() != 201)
			.allSatisfy((response) -> assertProblem(response, 409, "in-progress"));
	}

	/**
	 * The moment between an owner's rollback and its lock's release, held open by another
	 * session that holds the same lock.
	 */
	@Test
	@Tag("postgresql")
	@Tag("C9")
	void aClaimThatIsLostAndThenFindsNoRecordIsRefusedAndDoesNotRun() throws SQLException {
		CompletableFuture<HttpResponse<byte[]>> owner = startSlowPayment("c9");
		Long lock = application.jdbc()
			.queryForObject(
					"select (classid::bigint << 32) | objid::bigint from pg_locks where locktype = 'advisory' "
							+ "and database = (select oid from pg_database where datname = current_database())",
					Long.class);
		gates.open("c9");
		assertOriginal(owner.join(), 201);
		application.jdbc().update("delete from idempotency_record");
		try (Connection other = application.database().connect(); Statement statement = other.createStatement()) {
			// Of a transaction: behind a pooler the session is not this connection's own
			other.setAutoCommit(false);
			statement.execute("select pg_advisory_xact_lock(" + lock + ")");
			assertProblem(application.post(ALICE, "/slow-payments", "c9", Labelled.json("c9")), 409, "in-progress");
			assertThat(application.effects("c9")).isEqualTo(1);
			other.rollback();
		}
		assertOriginal(application.post(ALICE, "/slow-payments", "c9", Labelled.json("c9")), 201);
		assertThat(application.effects("c9")).isEqualTo(2);
	}

	@RestController
	@Import(Gates.class)
	static class Payments {

		private final Effects effects;

		private final Gates gates;

		private final JdbcTemplate jdbc;

		Payments(Effects effects, Gates gates, JdbcTemplate jdbc) {
			this.effects = effects;
			this.gates = gates;
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

		@Idempotent
		@PostMapping("/slow-payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> paySlowly(@RequestBody Labelled payment) {
			Map<String, Object> paid = pay(payment);
			this.gates.pass(payment.label());
			return paid;
		}

		@GetMapping("/effects")
		Map<String, Object> count() {
			return this.jdbc.queryForMap("select count(*) from effect");
		}

	}

}
