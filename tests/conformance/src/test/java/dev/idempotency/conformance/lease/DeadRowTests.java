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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Requests beside dead rows that vacuum may not remove, since a report has an old
 * snapshot: they read as much as beside none, however many there are.
 */
@Tag("postgresql")
class DeadRowTests {

	private static final int DEAD = 20_000;

	private static final int REQUESTS = 200;

	/**
	 * The dead rows that a node reads before it knows where they end, and after a minute
	 * once more.
	 */
	private static final int WHOLE_READS = 25;

	/**
	 * The rows that it reads for each request, of those that have died since the last
	 * look.
	 */
	private static final int RECENT = 400;

	private static final Map<String, String> DEAD_ROWS = Map.of("idempotency_lease", """
			(id, namespace, account, operation, fingerprint, fence, lease_until, created_at, node) \
			select sha256(n::text::bytea), 'dead-rows', account, 'dead', '', n, now(), now(), 'gone:1' \
			from idempotency_record""", "idempotency_job", """
			(task_name, task_instance, execution_time, picked, version) \
			select 'dead-rows:record', n::text, now() - interval '1 minute', false, 1 from (select) as one""",
			"idempotency_outbox", """
					(namespace, id, destination, key, type, content) \
					select 'dead-rows', n::text, 'effects', (n % 5)::text, 'dead', '' from (select) as one""");

	private static TestDatabase database;

	private static Connection report;

	@BeforeAll
	static void leaveDeadRows() throws SQLException {
		database = MigratedDatabase.create();
		try (RunningApplication application = start()) {
			post(application, "/leased", 0);
		}
		report = database.connect();
		hold(report);
		DEAD_ROWS.forEach((table, rows) -> {
			database.execute("insert into " + table + rows + ", generate_series(1, " + DEAD + ") as n");
			database.execute("delete from " + table);
			database.execute("analyze " + table);
		});
	}

	@AfterAll
	static void endReport() throws SQLException {
		report.close();
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "/leased, idempotency_lease", "/phases, idempotency_lease", "/job, idempotency_job",
			"/event, idempotency_outbox" })
	void areNotReadByEachRequest(String path, String table) throws SQLException {
		Reads before = Reads.of(database, table);
		try (RunningApplication application = start()) {
			for (int i = 1; i <= REQUESTS; i++) {
				String label = post(application, path, i);
				await().until(() -> application.effects(label) == 1);
			}
		}
		// Its connections are closed: the server has added up what they have read.
		Reads after = Reads.of(database, table);
		assertThat(after.scans - before.scans).as("sequential scans").isLessThan(REQUESTS / 10);
		assertThat(after.sequential - before.sequential).as("rows by sequential scan")
			.isLessThanOrEqualTo(2 * REQUESTS);
		assertThat(after.byIndex - before.byIndex).as("entries of indexes")
			.isLessThan((long) WHOLE_READS * DEAD + REQUESTS * RECENT)
			.isLessThan((long) REQUESTS * DEAD / 4);
	}

	private static RunningApplication start() {
		return RunningApplication.start(database, List.of(Handlers.class, Workers.class),
				"idempotency.namespace=dead-rows", "idempotency.outbox.enabled=true",
				"idempotency.outbox.polling-interval=1h", "idempotency.job.polling-interval=1h",
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false");
	}

	private static String post(RunningApplication application, String path, int number) {
		String label = path + number;
		assertThat(application.post(ALICE, path, label, Labelled.json(label)).statusCode()).isEqualTo(200);
		return label;
	}

	private static void hold(Connection report) throws SQLException {
		report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		report.setAutoCommit(false);
		try (Statement statement = report.createStatement()) {
			statement.executeQuery("select count(*) from idempotency_record");
		}
	}

	/**
	 * The statistics of a table.
	 *
	 * @param scans the sequential scans
	 * @param sequential the live rows that they have returned
	 * @param byIndex the entries of indexes, of dead rows as well
	 */
	private record Reads(long scans, long sequential, long byIndex) {

		static Reads of(TestDatabase database, String table) throws SQLException {
			try (Connection connection = database.connect();
					Statement statement = connection.createStatement();
					ResultSet row = statement.executeQuery("""
							select seq_scan, seq_tup_read, (select sum(idx_tup_read) from pg_stat_user_indexes i
								where i.relid = t.relid) from pg_stat_user_tables t where relname = '%s'"""
						.formatted(table))) {
				row.next();
				return new Reads(row.getLong(1), row.getLong(2), row.getLong(3));
			}
		}

	}

	@RestController
	static class Handlers {

		private final Effects effects;

		private final StagedJobs jobs;

		private final Outbox outbox;

		Handlers(Effects effects, StagedJobs jobs, Outbox outbox) {
			this.effects = effects;
			this.jobs = jobs;
			this.outbox = outbox;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, Object> leased(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Idempotent
		@PostMapping("/phases")
		Map<String, Object> phases(@RequestBody Labelled body, Phases phases) {
			phases.foreign("asked", String.class, (key) -> key);
			return phases.finish(() -> leased(body));
		}

		@Transactional
		@PostMapping("/job")
		public Map<String, Object> job(@RequestBody Labelled body) {
			return Map.of("id", this.jobs.stage(Workers.RECORD, body).toString());
		}

		@Transactional
		@PostMapping("/event")
		public Map<String, Object> event(@RequestBody Labelled body) {
			String key = Integer.toString(Math.floorMod(body.label().hashCode(), 5));
			return Map.of("id", this.outbox
				.publish(OutboxMessage.to("effects", body.label().getBytes()).withKey(key).withType("effect")));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Workers {

		static final JobType<Labelled> RECORD = JobType.of("record", Labelled.class);

		@Bean
		JobHandler<Labelled> recorder(Effects effects) {
			return JobHandler.of(RECORD, (body) -> effects.record(body.label()));
		}

		@Bean
		EventSender sender(Effects effects) {
			return (event) -> CompletableFuture.completedFuture(effects.record(new String(event.payload())).getId());
		}

	}

}
