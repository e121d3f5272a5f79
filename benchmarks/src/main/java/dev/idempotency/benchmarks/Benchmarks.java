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

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.benchmarks.Options.Part;
import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

/**
 * Runs all measurements, prints their tables, and writes them to a file with a plot.
 */
public final class Benchmarks {

	private final Options options;

	private final DedicatedServer server;

	private final MeasuredApplication application;

	private final Report report = new Report();

	private Benchmarks(Options options, DedicatedServer server, MeasuredApplication application) {
		this.options = options;
		this.server = server;
		this.application = application;
	}

	public static void main(String[] arguments) throws Exception {
		Options options = Options.of(arguments);
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of())) {
			TestDatabase database = server.createDatabase();
			try (MeasuredApplication application = MeasuredApplication.start(database, options.poolSize())) {
				new Benchmarks(options, server, application).run(database);
			}
		}
	}

	private void run(TestDatabase database) throws Exception {
		describe();
		RequestTables tables = new RequestTables(this.options, this.server, database, this.application, this.report);
		tables.warmUp();
		long start = System.nanoTime();
		int done = 0;
		for (Part part : this.options.parts()) {
			switch (part) {
				case REQUESTS -> tables.requests();
				case HAND -> tables.byHand();
				case HANDLERS -> tables.handlers();
				case COMMITS -> tables.commits();
				case LIBRARY -> new LibraryBenchmark(this.report).run();
				case CLIENTS -> tables.clients();
				case GENERATOR -> tables.generator();
				case BODIES -> tables.bodies();
				case VIRTUAL -> tables.virtualThreads();
				case NODES -> tables.nodes();
				case PARTITIONS -> tables.partitions();
				case ACCOUNTS -> tables.accounts();
				case SIZES -> tables.sizes();
				case STORM -> new StormBenchmark(this.application, this.options, this.report).run();
				case DATABASE -> new DatabaseBenchmark(database, this.options, this.report).run();
				case REAPER -> {
					try (Load load = tables.load(this.options.threads())) {
						new ReaperBenchmark(this.application, load, this.options, this.report).run();
					}
				}
				case SOAK -> new SoakBenchmark(this.options, this.report).run();
				case STARTS -> new StartupBenchmark(database, this.options, this.report).run();
			}
			this.report.progress("Parts, " + part + " included", ++done, this.options.parts().size(),
					Duration.ofNanos(System.nanoTime() - start));
		}
		this.report.line("");
		describeMachine();
		this.report.write(Path.of("target", "benchmarks"));
	}

	private void describe() {
		JdbcTemplate jdbc = this.application.jdbc();
		describeMachine();
		this.report.line("PostgreSQL " + setting(jdbc, "server_version") + ", fsync " + setting(jdbc, "fsync")
				+ ", synchronous_commit " + setting(jdbc, "synchronous_commit") + ", shared_buffers "
				+ setting(jdbc, "shared_buffers") + ", max_wal_size " + setting(jdbc, "max_wal_size")
				+ "; client, application and database on this machine");
		this.report.line(this.options.threads() + " clients unless it says otherwise, " + this.options.rounds()
				+ " rounds of " + this.options.slice().toMillis() + " ms, each variant between two of the baseline");
	}

	private void describeMachine() {
		var system = ManagementFactory.getOperatingSystemMXBean();
		this.report.line(String.format(Locale.ROOT, "Java %s, %d processors, load average %.1f",
				System.getProperty("java.version"), system.getAvailableProcessors(), system.getSystemLoadAverage()));
	}

	private static String setting(JdbcTemplate jdbc, String name) {
		return String.valueOf(jdbc.queryForObject("select current_setting(?)", String.class, name));
	}

}
