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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.app.PaymentController;
import dev.idempotency.benchmarks.load.BlockedOwner;
import dev.idempotency.benchmarks.load.GatlingLoad;
import dev.idempotency.benchmarks.load.HttpConnection;
import dev.idempotency.benchmarks.load.HttpConnection.Reply;
import dev.idempotency.benchmarks.load.Load;
import dev.idempotency.benchmarks.load.RecordTable;
import dev.idempotency.benchmarks.load.SocketLoad;
import dev.idempotency.benchmarks.load.UsageMeter;
import dev.idempotency.benchmarks.load.Variant;
import dev.idempotency.benchmarks.load.Workload;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

/**
 * The tables of requests: which variant is compared with which baseline.
 */
final class RequestTables {

	/**
	 * Number of keys to replay where the table is "empty".
	 */
	private static final long FEW = 1000;

	private static final int NODES = 4;

	private static final int MANY_CLIENTS = 32;

	private static final int COMMIT_MICROS = 5000;

	/**
	 * The script of docs/operations/capacity.md, for a table without answers.
	 */
	private static final String PARTITION = """
			alter table idempotency_record rename to plain;
			create table idempotency_record (like plain including all) partition by hash (id);
			do $$ begin
				for remainder in 0 .. 15 loop
					execute format('create table idempotency_record_p%s partition of idempotency_record '
						'for values with (modulus 16, remainder %s)', remainder, remainder);
				end loop;
			end $$;
			drop table plain""";

	private final Options options;

	private final DedicatedServer server;

	private final TestDatabase database;

	private final MeasuredApplication application;

	private final Report report;

	RequestTables(Options options, DedicatedServer server, TestDatabase database, MeasuredApplication application,
			Report report) {
		this.options = options;
		this.server = server;
		this.database = database;
		this.application = application;
		this.report = report;
	}

	private void fill(MeasuredApplication filled, long records) throws IOException {
		try (HttpConnection connection = new HttpConnection(filled.port())) {
			connection.post(Variant.fresh("model", filled).replayed("model", RecordTable.key(0)));
		}
		RecordTable table = new RecordTable(filled.jdbc());
		table.fill(records);
		this.report.line(table.describe());
	}

	/**
	 * Creates records to replay, and runs for a while: the compiler takes a minute for
	 * the code that all requests share.
	 */
	void warmUp() throws IOException {
		fill(this.application, FEW);
		List<Variant> kinds = List.of(Variant.unprotected(this.application), Variant.fresh("fresh", this.application),
				Variant.replay("replay", this.application, FEW));
		try (Load load = load(this.options.threads())) {
			load.warmUp(kinds, this.options.firstWarmUp().dividedBy(kinds.size()));
		}
	}

	Load load(int threads) {
		return new SocketLoad(threads, new UsageMeter(this.application.jdbc()));
	}

	private void compare(String heading, Variant baseline, Variant... variants) throws IOException {
		compare(heading, this.options.threads(), baseline, variants);
	}

	private void compare(String heading, int clients, Variant baseline, Variant... variants) throws IOException {
		try (Load load = load(clients)) {
			new Comparison(load, this.options, this.report, baseline, variants).run(heading);
		}
	}

	void requests() throws IOException, InterruptedException {
		try (MeasuredApplication cached = MeasuredApplication.start(this.database, this.options.poolSize(),
				"--idempotency.cache.local.enabled=true");
				MeasuredApplication without = MeasuredApplication.start(this.database, this.options.poolSize(),
						"--idempotency.enabled=false");
				BlockedOwner owner = BlockedOwner.start(this.application)) {
			compare("One small payment", Variant.unprotected(this.application),
					Variant.fresh("fresh", this.application), Variant.storeAlone(this.application),
					Variant.claimRowAlone(this.application), Variant.freshLeased(this.application),
					Variant.freshLeasedInCommits(this.application), Variant.replay("replay", this.application, FEW),
					Variant.replay("replay from the local cache", cached, FEW),
					Variant.duplicate(this.application, owner.key()), Variant.mismatch(this.application, FEW),
					Variant.withoutKey(this.application), Variant.unprotected(without).named("without the library"));
		}
	}

	/**
	 * The distance to the same statements without a library, with authenticated requests.
	 */
	void byHand() throws IOException {
		try (MeasuredApplication basic = MeasuredApplication.startWithHttpBasic(this.database,
				this.options.poolSize())) {
			Variant fresh = Variant.fresh("fresh", basic);
			Variant leased = Variant.freshLeased(basic);
			store(fresh, "by-hand");
			store(leased, "by-hand-leased");
			compare("One small payment by HTTP Basic, and statements by hand", Variant.unprotected(basic),
					Variant.recordByHand(basic), Variant.claimAndRecordByHand(basic), fresh, leased,
					fresh.replayed("replay", "by-hand"), leased.replayed("replay LEASED", "by-hand-leased"));
		}
	}

	/**
	 * The cost of protection is one of a request, not of its handler.
	 */
	void handlers() throws IOException {
		for (int parts : List.of(3, 10, 30)) {
			compare("A handler with " + parts + " inserts, one by one",
					Variant.unprotected(this.application).at(PaymentController.UNPROTECTED_PARTS + parts),
					Variant.fresh("fresh", this.application).at(PaymentController.PROTECTED_PARTS + parts));
		}
	}

	/**
	 * A commit that waits as it does for a disk or a standby: all that wait go together.
	 */
	void commits() throws IOException {
		try (DedicatedServer slow = TestDatabase
			.startDedicatedServer(Map.of("commit_delay", String.valueOf(COMMIT_MICROS), "commit_siblings", "0"));
				MeasuredApplication durable = MeasuredApplication.start(slow.createDatabase(), this.options.poolSize());
				Load load = new SocketLoad(this.options.threads(), new UsageMeter(durable.jdbc()))) {
			new Comparison(load, this.options, this.report, Variant.unprotected(durable),
					Variant.fresh("fresh", durable))
				.run("Commits that take " + COMMIT_MICROS / 1000 + " ms more");
		}
	}

	private void compareClients(MeasuredApplication measured, int clients) throws IOException {
		compare("Clients: " + clients, clients, Variant.unprotected(measured), Variant.fresh("fresh", measured),
				Variant.replay("replay", measured, FEW));
	}

	void clients() throws IOException {
		compareClients(this.application, 1);
		try (MeasuredApplication wide = MeasuredApplication.start(this.database, MANY_CLIENTS + 2)) {
			compareClients(wide, MANY_CLIENTS);
		}
	}

	/**
	 * The main rows once more, by a load generator that is not ours.
	 */
	void generator() throws IOException {
		try (GatlingLoad load = new GatlingLoad(this.application.port(), this.options.threads(), FEW,
				new UsageMeter(this.application.jdbc()))) {
			new Comparison(load, this.options, this.report, Variant.unprotected(this.application),
					Variant.fresh("fresh", this.application), Variant.replay("replay", this.application, FEW))
				.run("By Gatling, one small payment");
			this.report.line("");
			this.report.line(String.format(Locale.ROOT,
					"Gatling took %.2f s of processor time for each second of application and database", load.share()));
		}
	}

	void bodies() throws IOException {
		Variant fresh = Variant.fresh("fresh", this.application);
		Variant large = fresh.with(Workload.LARGE_PAYMENT);
		store(large, "large");
		Variant byHand = Variant.claimAndRecordByHand(this.application);
		compare("64 KB of JSON, and as much in the answer",
				Variant.unprotected(this.application).with(Workload.LARGE_PAYMENT), byHand.with(Workload.LARGE_PAYMENT),
				large, large.replayed("replay", "large"));
		Variant objects = fresh.with(Workload.LARGE_OBJECTS);
		store(objects, "objects");
		compare("64 KB of JSON in 545 objects, and as much in the answer",
				Variant.unprotected(this.application).with(Workload.LARGE_OBJECTS), byHand.with(Workload.LARGE_OBJECTS),
				objects, objects.replayed("replay", "objects"));
		Variant form = fresh.with(Workload.FORM).at(PaymentController.PROTECTED_FORM);
		store(form, "form");
		compare("A form with a file of 64 KB",
				Variant.unprotected(this.application).with(Workload.FORM).at(PaymentController.UNPROTECTED_FORM), form,
				form.replayed("replay", "form"));
	}

	private void store(Variant variant, String key) throws IOException {
		try (HttpConnection connection = new HttpConnection(variant.ports().get(0))) {
			Reply reply = connection.post(variant.replayed("first", key));
			if (reply.status() != 201) {
				throw new IllegalStateException("The answer to replay was not stored: " + reply);
			}
		}
	}

	void virtualThreads() throws IOException {
		if (Runtime.version().feature() < 21) {
			this.report.heading("Virtual threads");
			this.report.line("Not measured: this Java has none");
			return;
		}
		try (MeasuredApplication virtual = MeasuredApplication.start(this.database, MANY_CLIENTS + 2,
				"--spring.threads.virtual.enabled=true")) {
			compare("Virtual threads, clients: " + MANY_CLIENTS, MANY_CLIENTS, Variant.unprotected(virtual),
					Variant.fresh("fresh", virtual), Variant.replay("replay", virtual, FEW));
		}
	}

	void nodes() throws IOException {
		List<MeasuredApplication> nodes = new ArrayList<>();
		try {
			for (int i = 0; i < NODES; i++) {
				nodes.add(MeasuredApplication.start(this.database, this.options.poolSize()));
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

	void partitions() throws IOException {
		try (MeasuredApplication partitioned = MeasuredApplication.start(this.server.createDatabase(),
				this.options.poolSize())) {
			partitioned.jdbc().execute(PARTITION);
			compare("Partitions: 16, against one table", Variant.fresh("fresh, one table", this.application),
					Variant.fresh("fresh partitioned", partitioned));
		}
	}

	void accounts() throws IOException {
		compare("A million accounts, against one", Variant.fresh("fresh, one account", this.application),
				Variant.fresh("fresh of a million accounts", this.application).ofAccounts(1_000_000));
	}

	void sizes() throws IOException {
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
