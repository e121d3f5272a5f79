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
package dev.idempotency.conformance.database;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Transactions;
import dev.idempotency.conformance.process.FaultApplication;
import dev.idempotency.conformance.process.FaultPoint;
import dev.idempotency.conformance.process.FaultyNode;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.store.jdbc.connection.DataSourceConnections;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests on MariaDB, at the isolation that it has by default: the part of the
 * conformance tests that every build runs.
 */
class MariaDbRequestTests {

	private static TestDatabase database;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		database = TestDatabase.create(DatabaseKind.MARIADB);
		application = RunningApplication.start(database, List.of(Payments.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("C1")
	void thirtyRequestsAtOnceHaveOneEffect() {
		List<HttpResponse<byte[]>> answers = Parallel.run(30, () -> application.post("/payments", "c1"));
		assertThat(application.effects("c1")).isEqualTo(1);
		assertThat(answers).filteredOn((answer) -> answer.statusCode() == 201 && !Exchanges.isReplay(answer))
			.hasSize(1);
		assertThat(answers).filteredOn((answer) -> answer.statusCode() != 201)
			.allSatisfy((answer) -> assertProblem(answer, 409, "in-progress"));
		assertThat(application.post("/payments", "c1").statusCode()).isEqualTo(201);
	}

	@Test
	@Tag("C3")
	void aDuplicateInFlightIsRefusedAndItsOwnerIsReplayed() {
		Gates gates = application.context().getBean(Gates.class);
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post("/gated", "c3"));
		gates.awaitReached("c3");
		assertProblem(application.post("/gated", "c3"), 409, "in-progress");
		gates.open("c3");
		assertOriginal(owner.join(), 201);
		assertReplay(application.post("/gated", "c3"), owner.join());
	}

	/**
	 * Each of these answers is written by a second transaction, which finds nothing in
	 * the table: were the gap locked in which it finds nothing, strangers would be
	 * refused.
	 */
	@Test
	@Tag("C6")
	void requestsWithDifferentKeysAreNeverRefused() {
		AtomicInteger number = new AtomicInteger();
		List<HttpResponse<byte[]>> answers = Parallel.run(60, () -> {
			int own = number.incrementAndGet();
			return application.post((own % 2 == 0) ? "/declined" : "/payments", "c6-" + own);
		});
		assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(201, 402);
		assertThat(answers).noneMatch(Exchanges::isReplay);
	}

	/**
	 * One hundred that are stuck, younger than thousands that are open. The server counts
	 * the rows that a session reads.
	 */
	@Test
	@Tag("Y12")
	void aListOfStuckRequestsReadsNoMoreThanItShows() throws SQLException {
		database.execute("insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, "
				+ "lease_until, created_at, stuck_at, node) select unhex(sha2(seq, 256)), 'pile', '1', 'pay', '1', seq, "
				+ "utc_timestamp(6), timestampadd(second, seq, '2026-01-01'), if(seq > 4000, utc_timestamp(6), null), "
				+ "'gone:1' from seq_1_to_4100");
		try (Connection connection = database.connect()) {
			SingleConnectionDataSource session = new SingleConnectionDataSource(connection, true);
			UnfinishedStore store = JdbcStores.unfinished(
					new DataSourceConnections(session, new DataSourceTransactionManager(session)), TableNames.DEFAULT,
					Duration.ofSeconds(10), "pile");
			for (Filter filter : Filter.values()) {
				long before = rowsRead(connection);
				List<UnfinishedRecord> first = store.list(filter, Position.START, 10);
				UnfinishedRecord last = first.get(9);
				assertThat(store.list(filter, new Position(last.createdAt(), last.lease().identity()), 10)).hasSize(10)
					.allMatch((next) -> next.createdAt().isAfter(last.createdAt()));
				assertThat(rowsRead(connection) - before).as(filter.name()).isBetween(20L, 60L);
			}
		}
	}

	private static long rowsRead(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select sum(variable_value) from "
						+ "information_schema.session_status where variable_name like 'Handler_read%'")) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	@Tag("C7")
	void tenRequestsAtOnceOnAnExpiredRecordHaveOneEffect() {
		assertOriginal(application.post("/payments", "c7"), 201);
		application.jdbc().update("update idempotency_record set expires_at = clock_timestamp()");
		List<HttpResponse<byte[]>> answers = Parallel.run(10, () -> application.post("/payments", "c7"));
		assertThat(application.effects("c7")).isEqualTo(2);
		assertThat(answers).filteredOn((answer) -> answer.statusCode() == 201 && !Exchanges.isReplay(answer))
			.hasSize(1);
	}

	@Test
	@Tag("X1")
	void whatFailsLeavesNothingAndRunsAgain() {
		assertThat(application.post("/failing", "x1").statusCode()).isEqualTo(500);
		assertThat(application.effects("x1")).isZero();
		assertThat(application.jdbc().queryForList("select 1 from idempotency_record where operation = ''")).isEmpty();
		assertThat(Exchanges.isReplay(application.post("/failing", "x1"))).isFalse();
	}

	@Test
	@Tag("X7")
	void ofANodeThatIsKilledInTheHandlerNothingStaysAndTheRetryRuns() {
		try (RunningApplication survivor = RunningApplication.start(database, List.of(FaultApplication.Payments.class));
				FaultyNode victim = FaultyNode.start(database, FaultPoint.IN_HANDLER)) {
			victim.post(ALICE, "/payments", "x7", Labelled.json("x7"));
			victim.awaitReached(FaultPoint.IN_HANDLER);
			assertProblem(survivor.post(ALICE, "/payments", "x7", Labelled.json("x7")), 409, "in-progress");
			victim.kill();
			Transactions.awaitGone(survivor, "victim");
			assertThat(survivor.effects("x7")).isZero();
			assertOriginal(survivor.post(ALICE, "/payments", "x7", Labelled.json("x7")), 201);
			assertThat(survivor.effects("x7")).isEqualTo(1);
		}
	}

	@RestController
	@Import(Gates.class)
	static class Payments {

		private final Effects effects;

		private final Gates gates;

		Payments(Effects effects, Gates gates) {
			this.effects = effects;
			this.gates = gates;
		}

		@Idempotent
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/payments")
		String pay(@RequestBody Labelled payment) {
			return this.effects.record(payment.label()).getLabel();
		}

		@Idempotent
		@ResponseStatus(HttpStatus.CREATED)
		@PostMapping("/gated")
		String payLater(@RequestBody Labelled payment) {
			this.gates.pass(payment.label());
			return pay(payment);
		}

		@Idempotent
		@PostMapping("/declined")
		String decline(@RequestBody Labelled payment) {
			pay(payment);
			throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED);
		}

		@Idempotent
		@PostMapping("/failing")
		String fail(@RequestBody Labelled payment) {
			pay(payment);
			throw new IllegalStateException("As it should");
		}

	}

}
