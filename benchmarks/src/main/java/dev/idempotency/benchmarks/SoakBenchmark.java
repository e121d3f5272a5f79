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

package dev.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.benchmarks.load.Sample;
import dev.idempotency.benchmarks.load.SocketLoad;
import dev.idempotency.benchmarks.load.TableReads;
import dev.idempotency.benchmarks.load.UsageMeter;
import dev.idempotency.benchmarks.soak.Soak;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

/**
 * Measures the change of the cost of requests over minutes, on tables that are empty most
 * of the time and full of dead rows, with autovacuum at work, and beside a report whose
 * snapshot keeps it from its work. A soak is ten slices; autovacuum comes as often in a
 * short one as in one of ten minutes with the settings as they are.
 */
final class SoakBenchmark {

	private static final int SLICES = 10;

	private final Options options;

	private final Report report;

	SoakBenchmark(Options options, Report report) {
		this.options = options;
		this.report = report;
	}

	/**
	 * Returns the names of all soaks.
	 */
	static Stream<String> names() {
		return Stream.of(Soak.values())
			.flatMap((soak) -> Stream.of(Snapshot.values()).map((snapshot) -> soak + snapshot.suffix));
	}

	void run() throws Exception {
		long pause = Math.max(1, this.options.soak().toSeconds() / SLICES);
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of("autovacuum_naptime", pause + "s"))) {
			for (Soak soak : Soak.values()) {
				for (Snapshot snapshot : Snapshot.values()) {
					if (this.options.includes(soak + snapshot.suffix)) {
						run(soak, snapshot, server.createDatabase());
					}
				}
			}
		}
	}

	private void run(Soak soak, Snapshot snapshot, TestDatabase database) throws Exception {
		try (MeasuredApplication application = MeasuredApplication.start(database,
				this.options.poolSize() + this.options.threads(), Soak.ARGUMENTS);
				Load load = new SocketLoad(this.options.threads(), new UsageMeter(application.jdbc()))) {
			load.run(soak.variant(application), this.options.warmUp());
			try (Connection reader = database.connect()) {
				if (snapshot == Snapshot.HELD) {
					hold(reader);
				}
				measure(soak + snapshot.suffix, load, soak, application);
			}
		}
	}

	private static void hold(Connection reader) throws SQLException {
		reader.setAutoCommit(false);
		reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		try (Statement statement = reader.createStatement()) {
			statement.executeQuery("select count(*) from payment");
		}
	}

	private void measure(String name, Load load, Soak soak, MeasuredApplication application) {
		Duration slice = this.options.soak().dividedBy(SLICES);
		this.report.heading("Soak: " + name + ", slices of " + slice.toSeconds() + " s");
		this.report.line("| slice | requests/s | p99 ms | µs JVM, clients included | µs database "
				+ "| sequential scans | their rows, a request | entries by index, a request | dead rows | pages |");
		this.report.line("|---|---|---|---|---|---|---|---|---|---|");
		JdbcTemplate jdbc = application.jdbc();
		List<Sample> samples = new ArrayList<>();
		double mostRows = 0;
		TableReads before = TableReads.of(jdbc);
		for (int i = 1; i <= SLICES; i++) {
			Sample sample = load.run(soak.variant(application), slice);
			TableReads after = TableReads.of(jdbc);
			samples.add(sample);
			double requests = sample.latencies().length;
			double rows = (after.sequential() - before.sequential()) / requests;
			mostRows = Math.max(mostRows, rows);
			this.report.line(String.format(Locale.ROOT,
					"| %d | %.0f | %.1f | %.0f | %.0f | %d | %.2f | %.1f | %d | %d |", i, sample.requestsPerSecond(),
					sample.percentile(99), sample.usage().processNanos() / 1e3 / requests, sample.databaseMicros(),
					after.scans() - before.scans(), rows, (after.byIndex() - before.byIndex()) / requests, after.dead(),
					after.pages()));
			before = after;
		}
		Sample second = samples.get(1);
		Sample last = samples.get(SLICES - 1);
		double throughput = last.requestsPerSecond() / second.requestsPerSecond();
		double perCpuTime = last.requestsPerCpuSecond() / second.requestsPerCpuSecond();
		this.report.line("");
		this.report.line(String.format(Locale.ROOT,
				"%s: last slice against the second: throughput %.2f, per processor time %.2f; at most %.2f rows by "
						+ "sequential scan for a request",
				name, throughput, perCpuTime, mostRows));
		this.report.plot("Soaks, last slice against the second", name, throughput, perCpuTime);
		this.report.curve(name, samples.stream().map(Sample::requestsPerSecond).toList());
	}

	/**
	 * The oldest snapshot in the database.
	 */
	private enum Snapshot {

		/** Those of the requests. */
		RECENT(""),

		/** One of a report that takes as long as the soak. */
		HELD(" beside a report");

		private final String suffix;

		Snapshot(String suffix) {
			this.suffix = suffix;
		}

	}

}
