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

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.benchmarks.HttpConnection.Reply;
import dev.idempotency.benchmarks.Options.Part;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Runs all measurements, prints their tables, and writes them to a file with a plot.
 */
public final class Benchmarks {

	/** As many records as there are keys to replay where the table is "empty". */
	private static final long FEW = 1000;

	private static final int NODES = 4;

	private static final int MANY_CLIENTS = 32;

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
		fill(this.application, FEW);
		for (Part part : this.options.parts()) {
			switch (part) {
				case REQUESTS -> compareRequests(database);
				case LIBRARY -> new LibraryBenchmark(this.report).run();
				case CLIENTS -> {
					compareClients(this.application, 1);
					compareManyClients(database);
				}
				case GENERATOR -> compareByGenerator();
				case BODIES -> compareBodies();
				case VIRTUAL -> compareOnVirtualThreads(database);
				case NODES -> compareNodes(database);
				case PARTITIONS -> comparePartitions();
				case ACCOUNTS -> compareAccounts();
				case SIZES -> compareSizes();
				case STORM -> new StormBenchmark(this.application, this.options, this.report).run();
				case DATABASE -> new DatabaseBenchmark(database, this.options, this.report).run();
				case REAPER -> {
					try (Load load = load(this.options.threads())) {
						new ReaperBenchmark(this.application, load, this.options, this.report).run();
					}
				}
				case STARTS -> new StartupBenchmark(database, this.options, this.report).run();
			}
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

	private void fill(MeasuredApplication filled, long records) throws IOException {
		try (HttpConnection connection = new HttpConnection(filled.port())) {
			connection.post(Variant.fresh("model", filled).replayed("model", RecordTable.key(0)));
		}
		RecordTable table = new RecordTable(filled.jdbc());
		table.fill(records);
		this.report.line(table.describe());
	}

	private Load load(int threads) {
		return new SocketLoad(threads, new CpuClock(this.application.jdbc()));
	}

	private void compare(String heading, Variant baseline, Variant... variants) throws IOException {
		compare(heading, this.options.threads(), baseline, variants);
	}

	private void compare(String heading, int clients, Variant baseline, Variant... variants) throws IOException {
		try (Load load = load(clients)) {
			new Comparison(load, this.options, this.report, baseline, variants).run(heading);
		}
	}

	private void compareRequests(TestDatabase database) throws IOException, InterruptedException {
		try (MeasuredApplication cached = MeasuredApplication.start(database, this.options.poolSize(),
				"--idempotency.cache.local.enabled=true");
				MeasuredApplication without = MeasuredApplication.start(database, this.options.poolSize(),
						"--idempotency.enabled=false");
				BlockedOwner owner = BlockedOwner.start(this.application)) {
			compare("One small payment", Variant.unprotected(this.application),
					Variant.fresh("fresh", this.application), Variant.freshLeased(this.application),
					Variant.replay("replay", this.application, FEW), Variant.replay("replay, local cache", cached, FEW),
					Variant.duplicate(this.application, owner.key()), Variant.mismatch(this.application, FEW),
					Variant.withoutKey(this.application), Variant.unprotected(without).named("without the library"));
		}
	}

	private void compareClients(MeasuredApplication measured, int clients) throws IOException {
		compare("Clients: " + clients, clients, Variant.unprotected(measured), Variant.fresh("fresh", measured),
				Variant.replay("replay", measured, FEW));
	}

	private void compareManyClients(TestDatabase database) throws IOException {
		try (MeasuredApplication wide = MeasuredApplication.start(database, MANY_CLIENTS + 2)) {
			compareClients(wide, MANY_CLIENTS);
		}
	}

	/**
	 * The main rows once more, by a load generator that is not ours.
	 */
	private void compareByGenerator() throws IOException {
		try (GatlingLoad load = new GatlingLoad(this.application.port(), this.options.threads(), FEW,
				new CpuClock(this.application.jdbc()))) {
			new Comparison(load, this.options, this.report, Variant.unprotected(this.application),
					Variant.fresh("fresh", this.application), Variant.replay("replay", this.application, FEW))
				.run("By Gatling, one small payment");
			this.report.line("");
			this.report.line(String.format(Locale.ROOT,
					"Gatling took %.2f s of processor time for each second of application and database", load.share()));
		}
	}

	private void compareBodies() throws IOException {
		Variant fresh = Variant.fresh("fresh", this.application);
		Variant large = fresh.with(Workload.LARGE_PAYMENT);
		store(large, "large");
		compare("64 KB of JSON, and as much in the answer",
				Variant.unprotected(this.application).with(Workload.LARGE_PAYMENT), large,
				large.replayed("replay", "large"));
		Variant form = fresh.with(Workload.FORM).at(PaymentController.PROTECTED_FORM);
		store(form, "form");
		compare("A form with a file of 64 KB",
				Variant.unprotected(this.application).with(Workload.FORM).at(PaymentController.UNPROTECTED_FORM), form,
				form.replayed("replay", "form"));
	}

	private void store(Variant variant, String key) throws IOException {
		try (HttpConnection connection = new HttpConnection(this.application.port())) {
			Reply reply = connection.post(variant.replayed("first", key));
			if (reply.status() != 201) {
				throw new IllegalStateException("The answer to replay was not stored: " + reply);
			}
		}
	}

	private void compareOnVirtualThreads(TestDatabase database) throws IOException {
		if (Runtime.version().feature() < 21) {
			this.report.heading("Virtual threads");
			this.report.line("Not measured: this Java has none");
			return;
		}
		try (MeasuredApplication virtual = MeasuredApplication.start(database, MANY_CLIENTS + 2,
				"--spring.threads.virtual.enabled=true")) {
			compare("Virtual threads, clients: " + MANY_CLIENTS, MANY_CLIENTS, Variant.unprotected(virtual),
					Variant.fresh("fresh", virtual), Variant.replay("replay", virtual, FEW));
		}
	}

	private void compareNodes(TestDatabase database) throws IOException {
		List<MeasuredApplication> nodes = new ArrayList<>();
		try {
			for (int i = 0; i < NODES; i++) {
				nodes.add(MeasuredApplication.start(database, this.options.poolSize()));
			}
			List<Integer> ports = nodes.stream().map(MeasuredApplication::port).toList();
			compare("Nodes: " + NODES + ", against one", Variant.fresh("fresh, one node", this.application),
					Variant.fresh("fresh", this.application).on(ports));
			compare("Nodes: " + NODES + ", replays against one",
					Variant.replay("replay, one node", this.application, FEW),
					Variant.replay("replay", this.application, FEW).on(ports));
		}
		finally {
			nodes.forEach(MeasuredApplication::close);
		}
	}

	private void comparePartitions() throws IOException {
		try (MeasuredApplication partitioned = MeasuredApplication.start(this.server.createDatabase(),
				this.options.poolSize(), "--idempotency.schema.partitions=16")) {
			compare("Partitions: 16, against one table", Variant.fresh("fresh, one table", this.application),
					Variant.fresh("fresh, partitioned", partitioned));
		}
	}

	private void compareAccounts() throws IOException {
		compare("A million accounts, against one", Variant.fresh("fresh, one account", this.application),
				Variant.fresh("fresh, a million accounts", this.application).ofAccounts(1_000_000));
	}

	private void compareSizes() throws IOException {
		try (MeasuredApplication large = MeasuredApplication.start(this.server.createDatabase(),
				this.options.poolSize())) {
			fill(large, this.options.records());
			String heading = this.options.records() + " records, against " + FEW;
			compare(heading, Variant.fresh("fresh, small table", this.application), Variant.fresh("fresh", large));
			compare(heading + ", replays", Variant.replay("replay, small table", this.application, FEW),
					Variant.replay("replay", large, this.options.records()));
		}
	}

}
