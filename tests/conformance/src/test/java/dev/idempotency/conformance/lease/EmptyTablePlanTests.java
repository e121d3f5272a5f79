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

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.AnnotatedService;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables that are empty most of the time, after autovacuum has met them empty.
 */
@Tag("postgresql")
class EmptyTablePlanTests {

	private static final int REQUESTS = 100;

	private static final Map<String, String> LOAD = Map.of("idempotency_lease", """
			insert into idempotency_lease
				(id, namespace, account, operation, fingerprint, fence, lease_until, created_at, node)
			select sha256(random()::text::bytea), 'load', sha256(n::text::bytea), 'POST /payments', '', n,
				clock_timestamp(), clock_timestamp(), 'gone:1' from generate_series(1, %d) as n""", "idempotency_job",
			"""
					insert into idempotency_job (task_name, task_instance, task_data, execution_time, picked, version)
					select 'load', gen_random_uuid(), '', clock_timestamp(), false, 1 from generate_series(1, %d) as n""");

	private static final Map<String, String> OF_LOAD = Map.of("idempotency_lease", "namespace = 'load'",
			"idempotency_job", "task_name = 'load'");

	/**
	 * A database whose tables have always been empty.
	 */
	private static TestDatabase empty;

	/**
	 * A database whose tables keep the pages of an earlier load.
	 */
	private static TestDatabase loaded;

	@BeforeAll
	static void createTables() {
		empty = createTables(MigratedDatabase.create());
		loaded = createTables(MigratedDatabase.create());
	}

	private static TestDatabase createTables(TestDatabase database) {
		RunningApplication
			.startWithoutServer(database, List.of(AnnotatedService.class, Nowhere.class),
					"idempotency.outbox.enabled=true", "idempotency.outbox.polling-interval=1h")
			.close();
		return database;
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			idempotency_lease  | fence    | id = sha256('1')
			idempotency_job    | version  | task_name = 'a' and task_instance = 'b'
			idempotency_outbox | id       | namespace = 'a' and position = 1
			""")
	void aVacuumedEmptyTableIsReadByIndex(String table, String column, String condition) throws SQLException {
		empty.execute("vacuum analyze " + table);
		assertThat(explain(empty, "select " + column + " from " + table + " where " + condition))
			.contains("Index Scan using " + table + "_pkey")
			.doesNotContain("Seq Scan");
	}

	/**
	 * The planner multiplies the pages of an index with the share of the table that one
	 * row is. After some load an index has hundreds of pages, most of them empty, and an
	 * analysis at a moment with two rows makes one row half of the table. A session that
	 * plans then keeps the costs of that moment, and plans each execution anew.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			idempotency_lease  | id = sha256($1::text::bytea)
			idempotency_job    | task_name = 'a' and task_instance = $1::text
			""")
	void aTableFoundNearlyEmptyAfterLoadIsPlannedOnce(String table, String condition) throws SQLException {
		try (Connection session = loaded.connect(); Statement statement = session.createStatement()) {
			statement.execute("vacuum analyze " + table);
			statement.execute("prepare find(int) as delete from " + table + " where " + condition);
			execute(statement, 5);
			fill(statement, table, 15_000);
			statement.execute("delete from " + table + " where " + OF_LOAD.get(table));
			fill(statement, table, 2);
			statement.execute("vacuum analyze " + table);
			execute(statement, 1);
			statement.execute("delete from " + table + " where " + OF_LOAD.get(table));
			statement.execute("vacuum analyze " + table);
			execute(statement, 20);
			assertThat(customPlans(statement)).isEqualTo(5);
		}
	}

	private static void execute(Statement statement, int times) throws SQLException {
		for (int i = 0; i < times; i++) {
			statement.execute("execute find(" + i + ")");
		}
	}

	private static void fill(Statement statement, String table, int rows) throws SQLException {
		statement.execute(LOAD.get(table).formatted(rows));
	}

	private static long customPlans(Statement statement) throws SQLException {
		try (ResultSet row = statement
			.executeQuery("select custom_plans from pg_prepared_statements where name = 'find'")) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	void leasedRequestsScanTheTableOfLeasesByIndex() throws SQLException {
		TestDatabase database = TestDatabase.create();
		try (RunningApplication application = RunningApplication.start(database, List.of(Payments.class))) {
			database.execute("vacuum analyze idempotency_lease");
			for (int i = 0; i < REQUESTS; i++) {
				String key = "plan-" + i;
				assertThat(application.post(ALICE, "/leased", key, Labelled.json(key)).statusCode()).isEqualTo(200);
			}
		}
		// Its connections are closed: the server has added up what they have read. The
		// completer and the migration scan a few times.
		assertThat(sequentialScans(database)).isLessThan(REQUESTS / 2);
	}

	private static String explain(TestDatabase database, String query) throws SQLException {
		StringBuilder plan = new StringBuilder();
		try (Connection connection = database.connect();
				Statement statement = connection.createStatement();
				ResultSet lines = statement.executeQuery("explain " + query)) {
			while (lines.next()) {
				plan.append(lines.getString(1)).append('\n');
			}
		}
		return plan.toString();
	}

	private static long sequentialScans(TestDatabase database) throws SQLException {
		try (Connection connection = database.connect();
				Statement statement = connection.createStatement();
				ResultSet row = statement
					.executeQuery("select seq_scan from pg_stat_user_tables where relname = 'idempotency_lease'")) {
			row.next();
			return row.getLong(1);
		}
	}

	@RestController
	static class Payments {

		private final Effects effects;

		Payments(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> pay(@RequestBody Labelled payment) {
			return Map.of("id", this.effects.record(payment.label()).getId());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Nowhere {

		@Bean
		EventSender sender() {
			return CompletableFuture::completedFuture;
		}

	}

}
