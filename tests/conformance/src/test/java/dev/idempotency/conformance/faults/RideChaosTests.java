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

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.PortableJdbc;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.testsupport.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two hundred rides at once, a provider of which half of the answers fail, and two nodes
 * that are killed at random. Half of the clients give up after their first delivery.
 */
@Tag("P4")
@Tag("P8")
@Tag("processes")
class RideChaosTests {

	private static final int RIDES = 200;

	private static final int KILLS = 4;

	private static final Client CLIENT = new Client();

	private final long seed = Long.getLong("faults.seed", System.nanoTime());

	private final AtomicInteger deliveries = new AtomicInteger();

	private final ConcurrentLinkedQueue<RestartableNode> nodes = new ConcurrentLinkedQueue<>();

	@Test
	void eachRideThatBeganIsCompletedAndChargedOnce() {
		System.out.println("Rides with -Dfaults.seed=" + this.seed);
		TestDatabase database = MigratedDatabase.create();
		JdbcTemplate jdbc = PortableJdbc.of(database.kind(),
				new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
		try (Provider provider = new Provider()) {
			provider.failWith((key) -> switch (ThreadLocalRandom.current().nextInt(4)) {
				case 0 -> Fault.UNAVAILABLE;
				case 1 -> Fault.ANSWER_LOST;
				default -> Fault.NONE;
			});
			startNodes(database, provider);
			List<String> answered = deliverWhileNodesDie();
			// The rest is left to the completer, whose provider still fails half of the
			// time.
			await().atMost(Duration.ofMinutes(3))
				.untilAsserted(() -> assertThat(jdbc.queryForList(
						"select operation, recovery_point, attempts, last_error from idempotency_lease where namespace <> ''"))
					.isEmpty());
			assertThat(jdbc.queryForList("select label from effect where label not like '% done'", String.class))
				.as("rides, each once")
				.doesNotHaveDuplicates()
				.containsAll(answered)
				.hasSameSizeAs(
						jdbc.queryForList("select distinct label from effect where label like '% done'", String.class))
				.hasSameSizeAs(jdbc.queryForList("select label from effect where label like '% done'", String.class))
				.hasSameSizeAs(provider.charges());
			assertThat(answered).as("rides whose client got its answer").hasSizeGreaterThanOrEqualTo(RIDES / 2);
		}
		finally {
			this.nodes.forEach(RestartableNode::close);
		}
	}

	private void startNodes(TestDatabase database, Provider provider) {
		String[] properties = { "provider=" + provider.address(), "idempotency.lease.duration=2s",
				"idempotency.completer.after=0s", "idempotency.completer.interval=50ms",
				"idempotency.completer.max-attempts=100" };
		// One after the other: the first creates the tables.
		for (int i = 0; i < 2; i++) {
			RestartableNode node = new RestartableNode(database, properties);
			this.nodes.add(node);
			node.awaitStarted();
		}
	}

	/**
	 * Delivers all rides, and kills a node after each share of the deliveries.
	 * @return the rides whose client got its answer
	 */
	private List<String> deliverWhileNodesDie() {
		Random random = new Random(this.seed);
		ExecutorService clients = Executors.newFixedThreadPool(20);
		try {
			List<CompletableFuture<String>> rides = IntStream.range(0, RIDES)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> deliver("ride-" + i, i % 2 == 0), clients))
				.toList();
			List<RestartableNode> places = new ArrayList<>(this.nodes);
			for (int kill = 1; kill <= KILLS; kill++) {
				int due = kill * RIDES / (KILLS + 1);
				await().atMost(Duration.ofMinutes(2)).until(() -> this.deliveries.get() >= due);
				places.get(random.nextInt(places.size())).killAndRestart();
			}
			return rides.stream().map(CompletableFuture::join).filter((label) -> !label.isEmpty()).toList();
		}
		finally {
			clients.shutdownNow();
		}
	}

	/**
	 * Delivers a ride until its answer is final, or once.
	 * @return the ride, or nothing if its client does not know
	 */
	private String deliver(String label, boolean persistent) {
		HttpResponse<byte[]> answer = persistent
				? await().atMost(Duration.ofMinutes(3)).until(() -> deliverOnce(label), RideChaosTests::isFinal)
				: deliverOnce(label);
		return isFinal(answer) ? label : "";
	}

	private static boolean isFinal(HttpResponse<byte[]> answer) {
		return answer != null && answer.statusCode() == 201;
	}

	private HttpResponse<byte[]> deliverOnce(String label) {
		RestartableNode node = this.nodes.stream()
			.skip(ThreadLocalRandom.current().nextInt(this.nodes.size()))
			.findFirst()
			.orElseThrow();
		this.deliveries.incrementAndGet();
		return CLIENT.send(node.address(), "/rides", label).handle((answer, failure) -> answer).join();
	}

}
