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
package dev.idempotency.conformance.request;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.phase.Vault;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Backoff;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Limits that keep one account, or one transaction, from hurting the others.
 */
@Tag("postgresql")
class LimitTests {

	private static final String OFF = "idempotency.completer.enabled=false";

	private static final int PILE = 100_000;

	@Test
	@Tag("Y12")
	void anAccountWithTooManyOpenRequestsGets429AndOthersAreServed() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class), OFF,
				"idempotency.limits.max-open-requests=1")) {
			Errands.fail("y12-open");
			assertThat(send(application, "alice", "y12-open").statusCode()).isEqualTo(500);
			HttpResponse<byte[]> refused = send(application, "alice", "y12-more");
			assertProblem(refused, 429, "too-many-open-requests");
			assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
			assertThat(application.effects("y12-more")).isZero();
			assertThat(send(application, "bob", "y12-bob").statusCode()).isEqualTo(201);
			Errands.repair("y12-open");
			assertThat(send(application, "alice", "y12-open").statusCode()).as("taken over").isEqualTo(201);
			assertThat(send(application, "alice", "y12-more").statusCode()).isEqualTo(201);
			assertThat(isReplay(send(application, "alice", "y12-more"))).isTrue();
		}
	}

	@Test
	@Tag("Y17")
	void anonymousCallersShareTheLimitsOfOneAccount() {
		try (RunningApplication application = RunningApplication.start(List.of(Vault.class), OFF,
				"idempotency.anonymous=share", "idempotency.limits.max-open-requests=1")) {
			String label = "y17-anonymous-caller";
			Vault.FAILING.add(label);
			assertThat(application.send(anonymous(application, label)).statusCode()).isEqualTo(500);
			Vault.FAILING.remove(label);
			assertProblem(application.send(anonymous(application, "y17-another-anonymous-caller")), 429,
					"too-many-open-requests");
			assertThat(application.post("alice", "/open/vault", "y17-alice", Labelled.json("y17-alice")).statusCode())
				.isEqualTo(200);
			assertThat(application.send(anonymous(application, label)).statusCode()).isEqualTo(200);
		}
	}

	private static HttpRequest.Builder anonymous(RunningApplication application, String label) {
		return application.anonymous("/open/vault")
			.header("Idempotency-Key", label)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(Labelled.json(label)));
	}

	@Test
	@Tag("Y12")
	void anAccountWithTooManyStuckRequestsGets429AndOthersAreServed() {
		try (RunningApplication application = RunningApplication.start(List.of(Errands.class), OFF,
				"idempotency.limits.max-stuck-requests=1")) {
			Errands.fail("y12-stuck");
			assertThat(send(application, "alice", "y12-stuck").statusCode()).isEqualTo(500);
			application.jdbc()
				.update("update idempotency_lease set stuck_at = clock_timestamp() where namespace <> ''");
			assertProblem(send(application, "alice", "y12-next"), 429, "too-many-open-requests");
			assertThat(application.effects("y12-next")).isZero();
			assertThat(send(application, "bob", "y12-next").statusCode()).isEqualTo(201);
		}
	}

	private static HttpResponse<byte[]> send(RunningApplication application, String user, String label) {
		return application.send(
				application.json(user, "/errands/home?speed=1", Labelled.json(label)).header("Idempotency-Key", label));
	}

	/**
	 * Rows that are read are counted by the server.
	 */
	@Test
	@Tag("Y12")
	void aPileOfStuckRequestsIsNotReadByThePollsOfTheCompleterAndTheHealth() throws SQLException {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class), OFF,
				"idempotency.reaper.enabled=false", "idempotency.namespace=pile")) {
			database.execute("insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, "
					+ "lease_until, created_at, stuck_at, command, node) select sha256(n::text::bytea), 'pile', '\\x01', 'old', "
					+ "'\\x01', n, now() - interval '2 days', now() - interval '3 days', now(), '\\x01', 'gone:1' "
					+ "from generate_series(1, " + PILE + ") as n");
			database.execute("analyze idempotency_lease");
			Errands.fail("y12-pile");
			assertThat(send(application, "alice", "y12-pile").statusCode()).isEqualTo(500);
			UnfinishedStore unfinished = application.context().getBean(UnfinishedStore.class);
			RecoveryRequest request = new RecoveryRequest(1, Duration.ofHours(1), Duration.ofDays(1), 12,
					new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(30)));
			for (int i = 0; i < 20; i++) {
				assertThat(unfinished.claimDue(request)).isEmpty();
				assertThat(unfinished.markStuck(12, Duration.ofDays(1))).isEmpty();
			}
			Overview overview = application.context().getBean(OperatorStore.class).overview();
			assertThat(overview.stuck()).isEqualTo(Overview.COUNTED);
			assertThat(overview.waiting()).isEqualTo(1);
			assertThat(overview.oldest()).isNotNull();
		}
		// Its connections are closed: the server has added up what they have read.
		assertThat(rowsRead(database)).isPositive().isLessThan(PILE / 2);
	}

	/**
	 * Half of them stuck, in a table of 100,000: a sort would read all of them, and a
	 * list of one kind half of them.
	 */
	@Test
	@Tag("Y12")
	void listsOfOperatorsReadNoMoreRequestsThanTheyShow() throws SQLException {
		TestDatabase database = MigratedDatabase.create();
		try (RunningApplication application = RunningApplication.start(database, List.of(Errands.class), OFF,
				"idempotency.reaper.enabled=false", "idempotency.namespace=pile")) {
			database.execute("insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, "
					+ "lease_until, created_at, stuck_at, node) select sha256(n::text::bytea), 'pile', "
					+ "sha256((n % 1000)::text::bytea), 'old', '\\x01', n, now(), now() - n * interval '1 second', "
					+ "case when n <= " + PILE / 2 + " then now() end, 'gone:1' from generate_series(1, " + PILE
					+ ") as n");
			database.execute("analyze idempotency_lease");
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			for (int i = 0; i < 10; i++) {
				List<UnfinishedRequest> oldest = requests.open(100);
				List<UnfinishedRequest> next = requests.open(100, oldest.get(99).position());
				assertThat(Stream.concat(oldest.stream(), next.stream()).map(UnfinishedRequest::createdAt)).hasSize(200)
					.doesNotHaveDuplicates()
					.isSorted();
				List<UnfinishedRequest> stuck = requests.stuck(100);
				assertThat(requests.stuck(100, stuck.get(99).position())).hasSize(100)
					.doesNotContainAnyElementsOf(stuck);
			}
		}
		assertThat(rowsRead(database)).isBetween(4_000L, 8_000L);
	}

	private static long rowsRead(TestDatabase database) throws SQLException {
		try (Connection connection = database.connect();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select seq_tup_read + coalesce(idx_tup_fetch, 0) "
						+ "from pg_stat_user_tables where relname = 'idempotency_lease'")) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	@Tag("Y14")
	void aTransactionThatClaimsTooManyKeysIsRefusedBeforeTheDatabaseHasNoRoomForLocks() {
		try (RunningApplication application = RunningApplication.start(List.of())) {
			IdempotencyOperations operations = application.context().getBean(IdempotencyOperations.class);
			TransactionTemplate transaction = new TransactionTemplate(
					application.context().getBean(PlatformTransactionManager.class));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> claim(operations, "refused", 1001)))
				.withMessageContaining("the limit is 1000");
			assertThat(application.records()).isZero();
			for (int i = 0; i < 2; i++) {
				String prefix = "batch" + i;
				transaction.executeWithoutResult((status) -> claim(operations, prefix, 1000));
			}
			claim(operations, "alone", 1001);
			assertThat(application.records()).isEqualTo(3001);
		}
	}

	private static void claim(IdempotencyOperations operations, String prefix, int keys) {
		for (int i = 0; i < keys; i++) {
			operations.execute(IdempotencyRequest.of("limits", prefix + i), String.class, () -> "done");
		}
	}

}
