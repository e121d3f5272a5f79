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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.DelayedStatement;
import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.FaultyProxy.CommitFault;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.convert.DurationStyle;

import static org.awaitility.Awaitility.await;

/**
 * All faults at random, under load, and afterwards the promises. For minutes:
 * {@code ./mvnw verify -pl tests/conformance -am -Dtest=RandomFaultTests
 * -Dsurefire.failIfNoSpecifiedTests=false -Dfaults.duration=5m}. The seed is printed;
 * {@code -Dfaults.seed=} makes the same faults and deliveries again, though not at the
 * same instants.
 */
@Tag("postgresql")
@Tag("X7")
@Tag("X8")
@Tag("X10")
@Tag("X12")
class RandomFaultTests {

	private static final String[] PROPERTIES = { "idempotency.lease.duration=2s",
			"spring.datasource.hikari.connection-timeout=2000", "spring.datasource.hikari.validation-timeout=1000" };

	private static final int NODES = 3;

	private enum Fault {

		KILL_NODE, PAUSE_NODE, CUT_CONNECTIONS, STALL, DOWN, COMMIT_LOST, COMMIT_REPLY_LOST, STATEMENT_LATE,
		RESTART_DATABASE

	}

	/**
	 * Statements that change a request: heartbeats, claims, commits with and without the
	 * answer, releases, answers, fences.
	 */
	private static final List<String> CHANGES = List.of("update idempotency_lease set lease_until",
			"set_config('idempotency.locked'", "COMMIT", "commit", "delete from idempotency_lease",
			"insert into idempotency_record", "set effects = effects or");

	private final long seed = Long.getLong("faults.seed", System.nanoTime());

	private final Duration duration = DurationStyle.detectAndParse(System.getProperty("faults.duration", "20s"));

	private final Random random = new Random(this.seed);

	private final List<RestartableNode> nodes = new ArrayList<>();

	@Test
	void whateverHappensEachSuccessHasOneEffectAndOneAnswer() {
		System.out.println("Faults for " + this.duration + " with -Dfaults.seed=" + this.seed);
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of())) {
			TestDatabase database = server.createDatabase();
			try (FaultyProxy proxy = FaultyProxy.before(database)) {
				startNodes(proxy.database());
				Load load = Load.start(this.seed,
						this.nodes.stream().<Supplier<URI>>map((node) -> node::address).toList());
				load.awaitProgress();
				long end = System.nanoTime() + this.duration.toNanos();
				while (System.nanoTime() < end) {
					Fault fault = Fault.values()[this.random.nextInt(Fault.values().length)];
					System.out.println("Fault " + fault);
					make(fault, proxy, server);
					pass(Duration.ofMillis(200 + this.random.nextInt(800)));
				}
				this.nodes.forEach(RestartableNode::awaitStarted);
				load.awaitProgress();
				load.settle(database);
				load.check(database);
				System.out.println(load.successes() + " successes");
			}
			finally {
				this.nodes.forEach(RestartableNode::close);
			}
		}
	}

	private void startNodes(TestDatabase database) {
		IntStream.range(0, NODES).forEach((i) -> this.nodes.add(new RestartableNode(database, PROPERTIES)));
		this.nodes.forEach(RestartableNode::awaitStarted);
	}

	private void make(Fault fault, FaultyProxy proxy, DedicatedServer server) {
		RestartableNode node = this.nodes.get(this.random.nextInt(NODES));
		switch (fault) {
			case KILL_NODE -> node.killAndRestart();
			case PAUSE_NODE -> node.whilePaused(() -> pass(Duration.ofMillis(2500)));
			case CUT_CONNECTIONS -> proxy.cut();
			case STALL -> {
				proxy.stall();
				pass(Duration.ofSeconds(1));
				proxy.resume();
			}
			case DOWN -> {
				proxy.goDown();
				pass(Duration.ofSeconds(1));
				proxy.goUp();
			}
			case COMMIT_LOST -> proxy.failNextCommit(CommitFault.REQUEST_LOST);
			case COMMIT_REPLY_LOST -> proxy.failNextCommit(CommitFault.REPLY_LOST);
			case STATEMENT_LATE -> {
				DelayedStatement late = proxy.delayNext(CHANGES.get(this.random.nextInt(CHANGES.size())));
				pass(Duration.ofMillis(1000 + this.random.nextInt(4000)));
				late.deliver();
			}
			case RESTART_DATABASE -> server.restart();
		}
	}

	/**
	 * Lets the load and the fault have their time.
	 */
	private static void pass(Duration time) {
		await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
	}

}
