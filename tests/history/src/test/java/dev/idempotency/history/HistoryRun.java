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
package dev.idempotency.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.idempotency.history.Faults.Fault;
import dev.idempotency.history.HistoryChecker.Rest;
import dev.idempotency.history.HistoryChecker.Violation;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.awaitility.Awaitility.await;

/**
 * One run: slow requests without faults, random requests with faults, the time until all
 * clients have an answer, and a repetition of all requests.
 */
final class HistoryRun {

	private static final String TABLES = """
			create table effect (id uuid primary key, order_key text not null, part text not null);
			create table account (id int primary key, orders bigint not null default 0);
			insert into account (id) select generate_series(0, %d)""".formatted(Order.ACCOUNTS - 1);

	private static final String LEFT = """
			select 'advisory lock of ' || l.pid from pg_locks l join pg_database d on d.oid = l.database
				where l.locktype = 'advisory' and d.datname = current_database()
			union all
			select 'open transaction of ' || pid || ': ' || query from pg_stat_activity
				where datname = current_database() and state like 'idle in transaction%'
			union all
			select 'lease of ' || operation || ' ' || encode(id, 'hex') from idempotency_lease where namespace <> ''""";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final long seed;

	private final @Nullable Plant plant;

	private final History history = new History();

	private final List<Node> nodes = new ArrayList<>();

	private HistoryRun(long seed, @Nullable Plant plant) {
		this.seed = seed;
		this.plant = plant;
	}

	/**
	 * Results of a run.
	 *
	 * @param seed the seed
	 * @param plant the planted defect
	 * @param keys the number of keys
	 * @param requests the number of requests
	 * @param faults the number of faults by kind
	 * @param violations the broken promises
	 * @param details the history of each key with a broken promise
	 */
	record Report(long seed, @Nullable Plant plant, int keys, long requests, Map<Fault, Integer> faults,
			List<Violation> violations, String details) {

		/**
		 * Describes the run in a line.
		 */
		String summary() {
			return "History with -Dhistory.seed=%d%s: %d keys, %d requests, %d faults %s, %d violations".formatted(
					this.seed, (this.plant != null) ? " and " + this.plant : "", this.keys, this.requests,
					this.faults.values().stream().mapToInt(Integer::intValue).sum(), this.faults,
					this.violations.size());
		}

	}

	/**
	 * Runs.
	 * @param seed decides on requests and faults, though not on their instants
	 * @param duration the duration of the faults
	 * @param plant the defect to plant into the nodes, {@code null} for none
	 * @return the result
	 */
	static Report run(long seed, Duration duration, @Nullable Plant plant) throws InterruptedException {
		return new HistoryRun(seed, plant).run(duration);
	}

	private Report run(Duration duration) throws InterruptedException {
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of()); Provider provider = new Provider()) {
			TestDatabase database = server.createDatabase();
			database.execute(TABLES);
			JdbcTransactionManager transactions = new JdbcTransactionManager(
					new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
			JdbcClient jdbc = JdbcClient.create(transactions.getDataSource());
			startNodes(database, provider);
			Operator operator = new Operator(this.history, jdbc);
			try (Clients clients = new Clients(this.history, this.nodes, provider, this.seed)) {
				Faults faults = new Faults(this.seed, this.history, this.nodes, server, operator, clients,
						transactions);
				Set<String> slow = clients.sendSlowly();
				clients.start();
				faults.make(duration);
				faults.end();
				clients.calmDown();
				settle(clients, operator);
				clients.sendAllAgain();
				settle(clients, operator);
				Rest rest = new Rest(rows(jdbc), provider.charges(), slow, left(jdbc));
				return report(clients, faults, HistoryChecker.check(this.history, rest));
			}
		}
		finally {
			this.nodes.forEach(Node::close);
			write();
		}
	}

	private void startNodes(TestDatabase database, Provider provider) {
		AtomicInteger starts = new AtomicInteger();
		List<String> properties = new ArrayList<>(List.of("provider=" + provider.address()));
		if (this.plant != null) {
			properties.add(Plant.PROPERTY + "=" + this.plant);
		}
		for (String name : List.of("a", "b")) {
			this.nodes.add(new Node(name, database, starts, properties));
		}
		this.nodes.forEach(Node::awaitStarted);
	}

	/**
	 * Waits until each client has a final answer. The operator resolves what clients
	 * cannot.
	 */
	private void settle(Clients clients, Operator operator) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		await().atMost(PATIENCE.multipliedBy(2)).pollInterval(Duration.ofMillis(1000)).until(() -> {
			Set<String> unanswered = clients.unanswered();
			operator.look(this.nodes.get(0), unanswered).forEach((seen) -> operator.resolve(this.nodes.get(0), seen));
			return unanswered.isEmpty() || System.nanoTime() > end;
		});
	}

	private static Map<String, Map<String, List<String>>> rows(JdbcClient jdbc) {
		Map<String, Map<String, List<String>>> rows = new HashMap<>();
		jdbc.sql("select part, order_key, id from effect").query((row) -> {
			rows.computeIfAbsent(row.getString(1), (part) -> new HashMap<>())
				.computeIfAbsent(row.getString(2), (key) -> new ArrayList<>())
				.add(row.getString(3));
		});
		return rows;
	}

	private static List<String> left(JdbcClient jdbc) {
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> jdbc.sql(LEFT).query(String.class).list().isEmpty());
			return List.of();
		}
		catch (ConditionTimeoutException ex) {
			return jdbc.sql(LEFT).query(String.class).list();
		}
	}

	/**
	 * Writes everything that has happened, and what the nodes have logged, into files
	 * beside the reports.
	 */
	private void write() {
		String name = "history-" + this.seed + ((this.plant != null) ? "-" + this.plant : "");
		try {
			Files.write(Path.of("target", name + ".txt"),
					this.history.events().map((event) -> event.key() + " " + event).toList());
			for (Node node : this.nodes) {
				Files.writeString(Path.of("target", name + "-" + node.name() + ".log"), node.output());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Report report(Clients clients, Faults faults, List<Violation> violations) {
		String details = violations.stream()
			.map((violation) -> violation + "\n" + this.history.of(violation.key()))
			.collect(Collectors.joining("\n"));
		long requests = this.history.events().filter((event) -> event.what() instanceof History.Sent).count();
		return new Report(this.seed, this.plant, clients.orders().size(), requests, faults.counts(), violations,
				details);
	}

}
