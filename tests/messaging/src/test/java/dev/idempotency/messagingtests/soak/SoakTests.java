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
package dev.idempotency.messagingtests.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two nodes, one broker, and a fault every few seconds: {@code -Psoak} with
 * {@code -Dsoak.duration=5m} and {@code -Dsoak.seed=4711}. RabbitMQ has to be installed.
 */
@Tag("soak")
class SoakTests {

	private static final List<String> LISTENERS = List.of("single", "batch");

	private static final long SEED = Long.getLong("soak.seed", System.nanoTime() % 1_000_000);

	private static final Duration DURATION = DurationStyle.detectAndParse(System.getProperty("soak.duration", "1m"));

	/** Longer than max.poll.interval.ms, heartbeats and time-outs of the nodes. */
	private static final int LONGEST_PAUSE = 15_000;

	private final TestDatabase database = TestDatabase.create();

	private final JdbcClient jdbc = JdbcClient.create(
			new DriverManagerDataSource(this.database.jdbcUrl(), this.database.username(), this.database.password()));

	private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

	private final List<JavaProcess> nodes = new ArrayList<>();

	@Test
	void eventsThroughKafkaHaveOneEffectInOrder(@TempDir Path directory) throws Exception {
		run(new KafkaProcess(directory));
	}

	@Test
	void eventsThroughRabbitHaveOneEffectInOrder(@TempDir Path directory) throws Exception {
		run(new RabbitProcess(directory));
	}

	private void run(Broker broker) throws InterruptedException {
		System.out.println("Faults for " + DURATION.toSeconds() + " s with -Dsoak.seed=" + SEED);
		createTables();
		try (broker) {
			broker.start();
			for (int node = 0; node < 2; node++) {
				this.nodes.add(start(broker));
			}
			disturb(broker, new Random(SEED));
			awaitAll(0);
			// The last of each key comes after all copies of those before it.
			awaitAll(1);
		}
		finally {
			this.nodes.forEach(JavaProcess::close);
		}
		report(broker);
	}

	private void createTables() {
		this.database
			.execute("create table stream (key text primary key, number bigint not null, goal bigint not null)");
		this.database
			.execute("create table effect (id bigserial primary key, listener text, key text, number bigint not null)");
		for (int key = 0; key < SoakNode.KEYS; key++) {
			this.jdbc.sql("insert into stream values (?, 0, 1000000000)").param("key-" + key).update();
		}
	}

	private JavaProcess start(Broker broker) {
		List<String> arguments = new ArrayList<>(broker.settings());
		arguments.addAll(List.of("--spring.datasource.url=" + this.database.jdbcUrl(),
				"--spring.datasource.username=" + this.database.username(),
				"--spring.datasource.password=" + this.database.password(), "--spring.application.name=soak",
				"--spring.main.banner-mode=off", "--spring.flyway.enabled=false", "--logging.level.root=off",
				"--idempotency.outbox.enabled=true", "--idempotency.outbox.polling-interval=100ms",
				"--idempotency.outbox.send-timeout=2s", "--idempotency.in-flight.wait=1s"));
		JavaProcess node = JavaProcess.start(SoakNode.class, arguments);
		node.awaitLine(SoakNode.STARTED);
		return node;
	}

	private void disturb(Broker broker, Random random) throws InterruptedException {
		long end = System.nanoTime() + DURATION.toNanos();
		while (System.nanoTime() < end) {
			pass(1000 + random.nextInt(4000));
			Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
			int node = random.nextInt(this.nodes.size());
			int pause = random.nextInt(LONGEST_PAUSE);
			this.faults.merge(fault, 1, Integer::sum);
			switch (fault) {
				case KILL_NODE -> {
					this.nodes.get(node).kill();
					pass(pause / 4);
					this.nodes.set(node, start(broker));
				}
				case PAUSE_NODE -> {
					this.nodes.get(node).signal("STOP");
					pass(pause);
					this.nodes.get(node).signal("CONT");
				}
				case KILL_BROKER -> {
					broker.kill();
					pass(pause / 4);
					broker.start();
				}
				case PAUSE_BROKER -> {
					broker.signal("STOP");
					pass(pause);
					broker.signal("CONT");
				}
			}
		}
	}

	private static void pass(int milliseconds) throws InterruptedException {
		new CountDownLatch(1).await(milliseconds, TimeUnit.MILLISECONDS);
	}

	/**
	 * Lets each key have some more events, and waits for all effects.
	 */
	private void awaitAll(int more) {
		this.jdbc.sql("update stream set goal = number + ?").param(more).update();
		Awaitility.await()
			.atMost(Duration.ofMinutes(5))
			.pollInterval(Duration.ofMillis(500))
			.until(() -> count("select count(*) from stream where number < goal") == 0
					&& count("select count(*) from idempotency_outbox") == 0
					&& count(
							"select count(*) from (select distinct listener, key, number from effect) as e") >= LISTENERS
								.size() * published());
	}

	private void report(Broker broker) {
		long lost = LISTENERS.size() * published()
				- count("select count(*) from (select distinct listener, key, number from effect) as e");
		long doubled = count("select count(*) from effect")
				- count("select count(*) from (select distinct listener, key, number from effect) as e");
		long disordered = count(
				"""
						select count(*) from (select number,
							lag(number, 1, 0::bigint) over (partition by listener, key order by id) as previous from effect) as e
						where number <> previous + 1""");
		System.out.printf(
				"%s, seed %d, %d s: %s; %d events, each for %d listeners; %d lost, %d doubled, %d out of order%n",
				broker.getClass().getSimpleName(), SEED, DURATION.toSeconds(), this.faults, published(),
				LISTENERS.size(), lost, doubled, disordered);
		assertThat(List.of(lost, doubled, disordered)).as("lost, doubled, out of order").containsOnly(0L);
		assertThat(published()).isPositive();
	}

	private long published() {
		return count("select sum(number) from stream");
	}

	private long count(String query) {
		return this.jdbc.sql(query).query(Long.class).single();
	}

	private enum Fault {

		KILL_NODE, PAUSE_NODE, KILL_BROKER, PAUSE_BROKER

	}

}
