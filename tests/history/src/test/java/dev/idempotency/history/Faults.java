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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;

import dev.idempotency.history.FaultyLink.Direction;
import dev.idempotency.history.Operator.Seen;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.DelayedStatement;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;
import dev.idempotency.testsupport.JavaProcess;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.awaitility.Awaitility.await;

/**
 * Random faults of processes, networks and the server: at each node one after the other.
 */
final class Faults {

	/**
	 * Kinds of faults.
	 */
	enum Fault {

		/** {@code kill -9}, and a new process. */
		KILL_NODE,

		/** SIGSTOP for longer than a lease, and SIGCONT. */
		PAUSE_NODE,

		/** A request that an operator abandons while its paused owner goes on. */
		ABANDON_PAUSED,

		CUT_CLIENTS, LOSE_REQUESTS, LOSE_REPLIES,

		CUT_DATABASE, LOSE_STATEMENTS, LOSE_RESULTS, SLOW_DATABASE,

		/** Nothing is forwarded for a while, and connections are refused for a while. */
		STALL_DATABASE, REFUSE_DATABASE,

		/** The connection breaks before the server has seen the commit, and after it. */
		COMMIT_LOST, COMMIT_REPLY_LOST,

		/** A statement that the server gets after its client has given up, and never. */
		STATEMENT_LATE, STATEMENT_SWALLOWED,

		/** SQL states 57P01, 57014, 55P03; deadlocks (40P01) are made by orders. */
		TERMINATE_SESSIONS, CANCEL_STATEMENTS, LOCK_TABLE,

		RESTART_SERVER

	}

	private static final String HEARTBEAT = "update idempotency_lease set lease_until";

	/**
	 * Statements that change a request: heartbeats, claims, commits with and without the
	 * answer, releases, answers, fences.
	 */
	private static final List<String> CHANGES = List.of(HEARTBEAT, "set_config('idempotency.locked'", "COMMIT",
			"commit", "delete from idempotency_lease", "insert into idempotency_record", "set effects = effects or",
			"update idempotency_lease set fence");

	private static final int COMMITS = 4;

	/** Tenths of a second. */
	private static final int STARTED_WITHIN = 200;

	private static final String NEVER = "no statement contains this";

	private static final List<String> TABLES = List.of("effect", "account", "idempotency_record", "idempotency_lease");

	private static final String OTHER_SESSIONS = """
			from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
				and backend_type = 'client backend' and random() < 0.6""";

	private final Map<Fault, Integer> counts = new ConcurrentSkipListMap<>();

	private final ReadWriteLock operating = new ReentrantReadWriteLock(true);

	private final long seed;

	private final History history;

	private final List<Node> nodes;

	private final DedicatedServer server;

	private final Operator operator;

	private final Clients clients;

	private final JdbcClient jdbc;

	private final TransactionTemplate transactions;

	Faults(long seed, History history, List<Node> nodes, DedicatedServer server, Operator operator, Clients clients,
			JdbcTransactionManager database) {
		this.seed = seed;
		this.history = history;
		this.nodes = nodes;
		this.server = server;
		this.operator = operator;
		this.clients = clients;
		this.jdbc = JdbcClient.create(Objects.requireNonNull(database.getDataSource()));
		this.transactions = new TransactionTemplate(database);
	}

	Map<Fault, Integer> counts() {
		return this.counts;
	}

	/**
	 * Makes faults for some time, at all nodes. Each kind comes once before one comes
	 * again.
	 */
	void make(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		ExecutorService threads = Executors.newFixedThreadPool(this.nodes.size());
		try {
			IntStream.range(0, this.nodes.size())
				.mapToObj((i) -> CompletableFuture.runAsync(() -> make(i, end), threads))
				.toList()
				.forEach(CompletableFuture::join);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private void make(int victim, long end) {
		Random random = new Random(~this.seed + victim);
		Node node = this.nodes.get(victim);
		Node other = this.nodes.get((victim + 1) % this.nodes.size());
		List<Fault> deck = new ArrayList<>();
		while (System.nanoTime() < end) {
			if (deck.isEmpty()) {
				deck.addAll(List.of(Fault.values()));
				Collections.shuffle(deck, random);
			}
			Fault fault = deck.remove(0);
			node.supervise();
			this.history.note("", "== " + fault + " at node " + node.name());
			this.counts.merge(fault, 1, Integer::sum);
			// The operator needs a node that works
			Lock lock = (fault == Fault.ABANDON_PAUSED) ? this.operating.writeLock() : this.operating.readLock();
			lock.lock();
			try {
				make(fault, node, other, random);
				this.history.note("", "== end of " + fault + " at node " + node.name());
			}
			catch (DataAccessException | TransactionException ex) {
				// The server was restarted by the fault of another node.
				this.history.note("", "== end of " + fault + " at node " + node.name() + ": " + ex);
			}
			finally {
				lock.unlock();
			}
			pass(random.nextInt(300));
		}
	}

	private void make(Fault fault, Node node, Node other, Random random) {
		int milliseconds = random.nextInt(1000);
		switch (fault) {
			case KILL_NODE -> {
				if (other.process() != null) {
					node.killAndRestart();
				}
			}
			case PAUSE_NODE -> oneAtATime(() -> pause(node, Node.LEASE + 500 + milliseconds));
			case ABANDON_PAUSED -> abandonPaused(node, other, random);
			case CUT_CLIENTS -> node.front().cut();
			case LOSE_REQUESTS -> lose(node.front(), Direction.REQUESTS, milliseconds);
			case LOSE_REPLIES -> lose(node.front(), Direction.REPLIES, milliseconds);
			case CUT_DATABASE -> node.back().cut();
			case LOSE_STATEMENTS -> lose(node.back(), Direction.REQUESTS, 500 + milliseconds * 2);
			case LOSE_RESULTS -> lose(node.back(), Direction.REPLIES, 500 + milliseconds * 2);
			case SLOW_DATABASE -> {
				node.back().delay(Duration.ofMillis(20 + milliseconds / 10));
				pass(1000 + milliseconds);
				node.back().heal();
			}
			case STALL_DATABASE -> {
				node.commits().stall();
				pass(500 + milliseconds);
				node.commits().resume();
			}
			case REFUSE_DATABASE -> {
				node.commits().goDown();
				pass(500 + milliseconds);
				node.commits().goUp();
			}
			case COMMIT_LOST -> failCommits(node, CommitFault.REQUEST_LOST);
			case COMMIT_REPLY_LOST -> failCommits(node, CommitFault.REPLY_LOST);
			case STATEMENT_LATE -> {
				DelayedStatement late = node.commits().delayNext(change(random));
				pass(500 + milliseconds * 3);
				late.deliver();
			}
			case STATEMENT_SWALLOWED -> {
				node.commits().swallowNext(change(random));
				pass(500 + milliseconds * 3);
				node.commits().cut();
			}
			case TERMINATE_SESSIONS ->
				this.jdbc.sql("select pg_terminate_backend(pid) " + OTHER_SESSIONS).query().listOfRows();
			case CANCEL_STATEMENTS ->
				this.jdbc.sql("select pg_cancel_backend(pid) " + OTHER_SESSIONS + " and state = 'active'")
					.query()
					.listOfRows();
			case LOCK_TABLE -> {
				String table = TABLES.get(random.nextInt(TABLES.size()));
				this.transactions.executeWithoutResult((status) -> {
					this.jdbc.sql("lock table " + table + " in share mode").update();
					pass(200 + milliseconds);
				});
			}
			case RESTART_SERVER -> this.server.restart();
		}
	}

	private static String change(Random random) {
		return CHANGES.get(random.nextInt(CHANGES.size()));
	}

	private static void lose(FaultyLink link, Direction direction, int milliseconds) {
		link.lose(direction);
		pass(milliseconds);
		link.heal();
	}

	private static void failCommits(Node node, CommitFault fault) {
		for (int i = 0; i < COMMITS; i++) {
			node.commits().failNextCommit(fault);
			pass(150);
		}
	}

	/**
	 * Pauses one node only, so that the other one can take its requests over.
	 */
	private synchronized void oneAtATime(Runnable pause) {
		pause.run();
	}

	private static void pause(Node node, int milliseconds) {
		JavaProcess process = node.process();
		if (process != null) {
			process.signal("STOP");
			pass(milliseconds);
			process.signal("CONT");
		}
	}

	/**
	 * The operator decides while the owner cannot, and acts a moment after it goes on and
	 * before it can extend its leases again.
	 */
	private void abandonPaused(Node node, Node other, Random random) {
		for (int i = 0; i < STARTED_WITHIN && (node.process() == null || other.process() == null); i++) {
			node.supervise();
			other.supervise();
			pass(100);
		}
		JavaProcess process = node.process();
		if (process == null) {
			return;
		}
		List<String> keys = this.clients.sendSlowly(node, random);
		pass(200 + random.nextInt(500));
		process.signal("STOP");
		pass(Node.LEASE);
		List<Seen> seen = this.operator.look(other, keys).stream().filter((request) -> !request.effects()).toList();
		node.commits().swallowNext(HEARTBEAT);
		process.signal("CONT");
		for (Seen request : seen) {
			pass(100 + random.nextInt(300));
			this.operator.abandon(other, request);
		}
	}

	/**
	 * Ends all faults that last, and takes back those that have hit nothing yet.
	 */
	void end() {
		this.server.start();
		for (Node node : this.nodes) {
			node.commits().swallowNext(NEVER);
			node.commits().delayNext(NEVER);
			node.front().heal();
			node.back().heal();
			node.commits().cut();
			node.awaitStarted();
		}
		this.history.note("", "== no more faults");
	}

	/**
	 * Lets clients and the fault have their time.
	 */
	private static void pass(int milliseconds) {
		Duration time = Duration.ofMillis(milliseconds);
		await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
	}

}
