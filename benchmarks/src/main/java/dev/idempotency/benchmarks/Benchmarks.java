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
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.benchmarks.HttpConnection.Reply;
import dev.idempotency.benchmarks.Options.Part;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Runs all measurements and prints their tables.
 */
public final class Benchmarks {

	/** As many records as there are keys to replay where the table is "empty". */
	private static final long FEW = 1000;

	private Benchmarks() {
	}

	public static void main(String[] arguments) throws IOException, InterruptedException {
		Options options = Options.of(arguments);
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of())) {
			TestDatabase database = server.createDatabase();
			try (MeasuredApplication small = MeasuredApplication.start(database, options.poolSize());
					MeasuredApplication cached = MeasuredApplication.start(database, options.poolSize(),
							"--idempotency.cache.local.enabled=true");
					MeasuredApplication large = MeasuredApplication.start(server.createDatabase(), options.poolSize());
					Load load = new Load(options.threads(), new CpuClock(small.jdbc()))) {
				describe(options, small.jdbc());
				fill(small, FEW);
				if (options.parts().contains(Part.REQUESTS)) {
					compareWithUnprotected(small, cached, load, options);
				}
				if (options.parts().contains(Part.SIZES)) {
					compareSizes(small, large, load, options);
				}
				if (options.parts().contains(Part.REAPER)) {
					new ReaperBenchmark(small, load, options).run();
				}
			}
			if (options.parts().contains(Part.STARTS)) {
				new StartupBenchmark(database, options).run();
			}
			describeMachine();
		}
	}

	private static void describe(Options options, JdbcTemplate jdbc) {
		describeMachine();
		System.out.println("PostgreSQL " + setting(jdbc, "server_version") + ", fsync " + setting(jdbc, "fsync")
				+ ", synchronous_commit " + setting(jdbc, "synchronous_commit") + ", shared_buffers "
				+ setting(jdbc, "shared_buffers") + ", max_wal_size " + setting(jdbc, "max_wal_size")
				+ "; client, application and database on this machine");
		System.out.println(options.threads() + " clients, " + options.poolSize() + " connections, " + options.rounds()
				+ " rounds of " + options.slice().toMillis() + " ms, each variant between two of the baseline\n");
	}

	private static void describeMachine() {
		var system = ManagementFactory.getOperatingSystemMXBean();
		System.out.println(String.format(Locale.ROOT, "Java %s, %d processors, load average %.1f",
				System.getProperty("java.version"), system.getAvailableProcessors(), system.getSystemLoadAverage()));
	}

	private static String setting(JdbcTemplate jdbc, String name) {
		return String.valueOf(jdbc.queryForObject("select current_setting(?)", String.class, name));
	}

	private static void fill(MeasuredApplication application, long records) throws IOException {
		try (HttpConnection connection = new HttpConnection(application.port())) {
			connection.post(PaymentController.PROTECTED, RecordTable.key(0), Variant.BODY);
		}
		long start = System.nanoTime();
		RecordTable table = new RecordTable(application.jdbc());
		table.fill(records);
		System.out.println(String.format(Locale.ROOT, "%s (filled in %.0f s)%n", table.describe(),
				(System.nanoTime() - start) / 1e9));
	}

	private static void compareWithUnprotected(MeasuredApplication application, MeasuredApplication cached, Load load,
			Options options) throws IOException, InterruptedException {
		try (HttpConnection connection = new HttpConnection(application.port())) {
			Thread owner = new Thread(() -> block(connection), "blocked-owner");
			owner.start();
			application.controller().awaitBlockedOwner();
			new Comparison(load, options, Variant.unprotected(application),
					List.of(Variant.fresh("fresh", application), Variant.replay("replay", application, FEW),
							Variant.replay("replay, local cache", cached, FEW), Variant.duplicate(application),
							Variant.mismatch(application, FEW)))
				.run();
			application.controller().releaseBlockedOwner();
			owner.join();
		}
	}

	private static void block(HttpConnection connection) {
		try {
			Reply reply = connection.post(PaymentController.BLOCKED, Variant.BLOCKED_KEY, Variant.BODY);
			if (reply.status() != 201) {
				throw new IllegalStateException("The blocked owner got " + reply);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void compareSizes(MeasuredApplication small, MeasuredApplication large, Load load, Options options)
			throws IOException {
		fill(large, options.records());
		new Comparison(load, options, Variant.unprotected(large),
				List.of(Variant.fresh("fresh", large), Variant.replay("replay", large, options.records())))
			.run();
		new Comparison(load, options, Variant.fresh("fresh, small table", small),
				List.of(Variant.fresh("fresh, large table", large)))
			.run();
		new Comparison(load, options, Variant.replay("replay, small table", small, FEW),
				List.of(Variant.replay("replay, large table", large, options.records())))
			.run();
	}

}
