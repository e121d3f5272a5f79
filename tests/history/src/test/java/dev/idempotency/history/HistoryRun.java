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
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.idempotency.history.Faults.Fault;
import dev.idempotency.history.HistoryChecker.Held;
import dev.idempotency.history.HistoryChecker.Rest;
import dev.idempotency.history.HistoryChecker.Violation;
import dev.idempotency.history.Operator.Seen;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.awaitility.Awaitility.await;

/**
 * One run: requests that are held without faults, random requests with faults, the time
 * until all clients have an answer, and a repetition of all requests.
 */
final class HistoryRun {

	/**
	 * The round trips of a held handler, after which its lease would have ended without
	 * heartbeats.
	 */
	private static final int BEATS = HistoryChecker.BEATS + 4;

	/** The number of times at which something is there that is left behind. */
	private static final int LOOKS = 60;

	/** After this time nodes hang; no rule depends on it. */
	private static final Duration HANGING = Duration.ofMinutes(15);

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
			JdbcTransactionManager transactions = new JdbcTransactionManager(
					new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
			JdbcClient jdbc = JdbcClient.create(transactions.getDataSource());
			Evidence evidence = new Evidence(database);
			startNodes(database, provider);
			evidence.noteLeaseChanges();
			Operator operator = new Operator(this.history, jdbc, evidence);
			try (Clients clients = new Clients(this.history, this.nodes, provider, this.seed)) {
				Faults faults = new Faults(this.seed, this.plant, this.history, this.nodes, server, operator, clients,
						evidence, transactions);
				List<Held> held = hold(clients, operator, evidence);
				clients.start();
				faults.make(duration);
				faults.end();
				clients.calmDown();
				settle(clients, operator);
				clients.sendAllAgain();
				settle(clients, operator);
				List<String> left = left(operator, evidence);
				Rest rest = new Rest(evidence.rows(), provider.charges(), evidence.leaseChanges(), held, left);
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
	 * Holds requests while no fault lasts, for longer than a lease, and lets them go on.
	 */
	private List<Held> hold(Clients clients, Operator operator, Evidence evidence) {
		List<Order> orders = clients.sendHeld();
		Map<String, String> ids = new HashMap<>();
		awaitNodes(() -> {
			operator.look(this.nodes.get(0), orders.stream().map(Order::key).toList())
				.forEach((seen) -> ids.putIfAbsent(seen.key(), seen.id()));
			return orders.stream()
				.allMatch((order) -> !clients.isWaiting(order) || evidence.beats(order.key()).size() >= BEATS);
		});
		orders.forEach((order) -> {
			evidence.open(order.key(), Order.BEFORE_COMMIT);
			evidence.open(order.key(), Order.AFTER_COMMIT);
		});
		awaitNodes(() -> clients.unanswered().isEmpty());
		return orders.stream()
			.filter((order) -> ids.containsKey(order.key()))
			.map((order) -> new Held(order.key(), ids.get(order.key()), evidence.beats(order.key())))
			.toList();
	}

	/**
	 * Waits until each client has a final answer, or has given up. The operator resolves
	 * what clients cannot.
	 */
	private void settle(Clients clients, Operator operator) {
		Node node = this.nodes.get(0);
		awaitNodes(() -> {
			operator.look(node, clients.unanswered())
				.stream()
				.filter(Seen::isOpen)
				.forEach((seen) -> operator.resolve(node, seen));
			return clients.unanswered().isEmpty();
		});
	}

	/**
	 * Finds what is there at each look, while both nodes go on with their work.
	 */
	private List<String> left(Operator operator, Evidence evidence) {
		List<String> left = new ArrayList<>(evidence.left());
		AtomicInteger looks = new AtomicInteger();
		awaitNodes(() -> {
			left.retainAll(evidence.left());
			if (this.nodes.stream().allMatch(operator::isAnsweredBy)) {
				looks.incrementAndGet();
			}
			return left.isEmpty() || looks.get() >= LOOKS;
		});
		return left;
	}

	private void awaitNodes(Callable<Boolean> condition) {
		try {
			await().atMost(HANGING).pollInterval(Duration.ofMillis(500)).until(condition);
		}
		catch (ConditionTimeoutException ex) {
			this.nodes.forEach(Node::dumpThreads);
			throw new IllegalStateException("The nodes hang, see their threads in the logs, with -Dhistory.seed="
					+ this.seed + ((this.plant != null) ? " and " + this.plant : ""), ex);
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
