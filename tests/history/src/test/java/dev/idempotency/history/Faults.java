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
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import dev.idempotency.history.FaultyLink.Direction;
import dev.idempotency.history.HistoryChecker.LeaseState;
import dev.idempotency.history.Operator.Seen;
import dev.idempotency.history.Order.Operation;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.DelayedStatement;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;
import dev.idempotency.testsupport.JavaProcess;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

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

		/**
		 * Heartbeats of a request that is held get lost until its lease has ended. Then
		 * an operator looks at it, its owner commits its row, and the operator abandons
		 * it.
		 */
		ABANDON_LATE,

		/**
		 * The same, and somebody else takes the request over before its owner goes on.
		 */
		TAKE_OVER_LATE,

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

	private static final String EFFECTS = "set effects = effects or";

	/**
	 * Statements that change a request: heartbeats, claims, commits with and without the
	 * answer, releases, answers, fences.
	 */
	private static final List<String> CHANGES = List.of(HEARTBEAT, "set_config('idempotency.locked'", "COMMIT",
			"commit", "delete from idempotency_lease", "insert into idempotency_record", EFFECTS,
			"update idempotency_lease set fence");

	private static final int COMMITS = 4;

	private static final String NEVER = "no statement contains this";

	/** The number of orders until one is late as it should. */
	private static final int TRIES = 5;

	/** The number of looks between two actions of an operator. */
	private static final int OPERATOR_PAUSE = 20;

	private static final Duration SOON = Duration.ofMinutes(1);

	private static final List<String> TABLES = List.of("effect", "account", "idempotency_record", "idempotency_lease");

	private static final String OTHER_SESSIONS = """
			from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
				and backend_type = 'client backend' and random() < 0.6""";

	private final Map<Fault, Integer> counts = new ConcurrentSkipListMap<>();

	private final ReadWriteLock operating = new ReentrantReadWriteLock(true);

	private final long seed;

	private final @Nullable Plant plant;

	private final History history;

	private final List<Node> nodes;

	private final DedicatedServer server;

	private final Operator operator;

	private final Clients clients;

	private final Evidence evidence;

	private final JdbcClient jdbc;

	private final TransactionTemplate transactions;

	Faults(long seed, @Nullable Plant plant, History history, List<Node> nodes, DedicatedServer server,
			Operator operator, Clients clients, Evidence evidence, JdbcTransactionManager database) {
		this.seed = seed;
		this.plant = plant;
		this.history = history;
		this.nodes = nodes;
		this.server = server;
		this.operator = operator;
		this.clients = clients;
		this.evidence = evidence;
		this.jdbc = JdbcClient.create(Objects.requireNonNull(database.getDataSource()));
		this.transactions = new TransactionTemplate(database);
	}

	Map<Fault, Integer> counts() {
		return this.counts;
	}

	/**
	 * Makes faults for some time, at all nodes. Each kind comes once before one comes
	 * again, and that which a planted defect cannot stand comes first.
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
				if (this.plant != null) {
					deck.remove(this.plant.fault());
					deck.add(0, this.plant.fault());
				}
			}
			Fault fault = deck.remove(0);
			node.supervise();
			this.history.note("", "== " + fault + " at node " + node.name());
			this.counts.merge(fault, 1, Integer::sum);
			// One thing after the other needs a node that works
			boolean alone = fault == Fault.ABANDON_LATE || fault == Fault.TAKE_OVER_LATE;
			Lock lock = alone ? this.operating.writeLock() : this.operating.readLock();
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
			case ABANDON_LATE -> beLate(node, random, (order) -> abandonLate(order, node, other));
			case TAKE_OVER_LATE -> beLate(node, random, (order) -> takeOverLate(order, node, other, random));
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
	 * Holds the handler of an order before its commit, and loses the heartbeats of its
	 * node. It goes on in any case. Orders that another fault has hit before are followed
	 * by one more.
	 */
	private void beLate(Node node, Random random, Predicate<Order> fault) {
		this.nodes.forEach(Node::awaitStarted);
		for (int i = 0; i < TRIES; i++) {
			Order order = this.clients.sendHeld(Operation.LEASED, node, random);
			boolean made = false;
			try {
				made = until(order, () -> !this.evidence.beats(order.key()).isEmpty()) && fault.test(order);
			}
			finally {
				this.evidence.open(order.key(), Order.BEFORE_COMMIT);
				this.evidence.open(order.key(), Order.AFTER_COMMIT);
				node.commits().swallowNothing();
			}
			this.history.note(order.key(), made ? "== late" : "== not late");
			if (made) {
				return;
			}
		}
	}

	/**
	 * While the lease is locked, neither a heartbeat nor the completer changes it, and it
	 * ends. When the lock is released, its owner already waits for it.
	 */
	private boolean abandonLate(Order order, Node node, Node other) {
		Seen looked = look(order, other);
		if (looked == null) {
			return false;
		}
		node.commits().swallowAll(HEARTBEAT);
		LeaseState late = this.evidence.lease(looked.id());
		Seen seen = this.transactions.execute((status) -> {
			int session = this.jdbc.sql("select pg_backend_pid()").query(Integer.class).single();
			this.jdbc.sql("select from idempotency_lease where id = decode(?, 'hex') for update")
				.param(looked.id())
				.query()
				.listOfRows();
			Seen ended = until(order, () -> isOver(looked)) ? look(order, other) : null;
			this.evidence.open(order.key(), Order.BEFORE_COMMIT);
			until(order, () -> this.evidence.isAwaited(session, EFFECTS));
			return ended;
		});
		if (late == null || seen == null || !until(order, () -> hasEffects(looked, late))) {
			return false;
		}
		this.operator.abandon(other, seen);
		return true;
	}

	/**
	 * A second client, the completer, or the client after a retry by the operator: as
	 * {@code lease.on-expiry} of the other node says.
	 */
	private boolean takeOverLate(Order order, Node node, Node other, Random random) {
		Seen looked = look(order, other);
		if (looked == null) {
			return false;
		}
		node.commits().swallowAll(HEARTBEAT);
		if (!until(order, () -> isOver(looked))) {
			return false;
		}
		LeaseState late = this.evidence.lease(looked.id());
		this.clients.send(order, other, random);
		AtomicInteger looks = new AtomicInteger();
		return until(order, () -> {
			if (looks.incrementAndGet() % OPERATOR_PAUSE == 0) {
				this.operator.look(other, List.of(order.key()))
					.stream()
					.filter((seen) -> seen.isOpen() && !seen.effects())
					.forEach((seen) -> this.operator.resolve(other, seen));
			}
			LeaseState present = this.evidence.lease(looked.id());
			return late != null && (present == null || (present.fence() != late.fence() && present.effects()));
		});
	}

	private boolean isOver(Seen seen) {
		return this.jdbc.sql("""
				select count(*) from idempotency_lease
				where id = decode(?, 'hex') and lease_until <= clock_timestamp()""")
			.param(seen.id())
			.query(Integer.class)
			.single() == 1;
	}

	private boolean hasEffects(Seen seen, LeaseState owned) {
		LeaseState present = this.evidence.lease(seen.id());
		return present != null && present.fence() == owned.fence() && present.effects();
	}

	private @Nullable Seen look(Order order, Node node) {
		List<Seen> seen = new ArrayList<>();
		until(order, () -> seen.addAll(this.operator.look(node, List.of(order.key()))));
		return seen.isEmpty() ? null : seen.get(0);
	}

	/**
	 * Waits for something to come about, as long as the order has no final answer.
	 */
	private boolean until(Order order, BooleanSupplier condition) {
		try {
			return await().atMost(SOON)
				.pollInterval(Duration.ofMillis(50))
				.until(() -> condition.getAsBoolean() ? Optional.of(true)
						: this.clients.isWaiting(order) ? Optional.<Boolean>empty() : Optional.of(false),
						Optional::isPresent)
				.orElse(false);
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	/**
	 * Ends all faults that last, and takes back those that have hit nothing yet.
	 */
	void end() {
		this.server.start();
		for (Node node : this.nodes) {
			node.commits().swallowNothing();
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
