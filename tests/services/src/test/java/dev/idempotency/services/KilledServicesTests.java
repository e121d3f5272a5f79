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
package dev.idempotency.services;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import dev.idempotency.services.ledger.LedgerApplication;
import dev.idempotency.services.rides.RidesApplication;
import dev.idempotency.testsupport.TestDatabase;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.test.util.TestSocketUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two services in separate processes, each with a separate database, and Kafka between
 * them. Both are killed at random, again and again, while rides are booked.
 */
class KilledServicesTests {

	private static final int RIDES = 200;

	private static final int RIDERS = 5;

	private static final int CLIENTS = 4;

	private static final int KILLS = 5;

	private static final Duration LIMIT = Duration.ofMinutes(5);

	private final long seed = Long.getLong("example.seed", System.nanoTime());

	private final HttpClient http = HttpClient.newHttpClient();

	@Test
	void everyRideIsEnteredOnceAndInOrderWhicheverServiceIsKilled() {
		System.out.println("Seed of the kills: -Dexample.seed=" + this.seed);
		EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 3, "rides");
		broker.afterPropertiesSet();
		String kafka = "--spring.kafka.bootstrap-servers=" + broker.getBrokersAsString();
		int port = TestSocketUtils.findAvailableTcpPort();
		// A restarted consumer takes its partitions back, instead of waiting for its own
		// death.
		try (Service rides = new Service(RidesApplication.class, TestDatabase.create(), kafka, "--server.port=" + port);
				Service ledger = new Service(LedgerApplication.class, TestDatabase.create(), kafka,
						"--spring.kafka.consumer.properties.group.instance.id=ledger-1")) {
			CompletableFuture<Void> kills = CompletableFuture.allOf(
					killAtRandom(rides, new Random(this.seed), () -> rides.count("ride")),
					killAtRandom(ledger, new Random(this.seed + 1), () -> ledger.count("entry")));
			bookAll(URI.create("http://127.0.0.1:" + port + "/rides"));
			kills.join();
			await(() -> RIDES - ledger.count("entry"));
			await(() -> rides.count("idempotency_outbox"));
			long sent = awaitEverythingConsumed(broker.getBrokersAsString());
			System.out.printf("%d rides in %d messages, with %d kills%n", RIDES, sent, 2 * KILLS);
			assertThat(rides.count("ride")).isEqualTo(RIDES);
			assertThat(ledger.jdbc().sql("select ride_id from entry").query(UUID.class).list())
				.containsExactlyInAnyOrderElementsOf(rides.jdbc().sql("select id from ride").query(UUID.class).list());
			for (int rider = 0; rider < RIDERS; rider++) {
				assertThat(ledger.jdbc()
					.sql("select number from entry where rider = ? order by line")
					.param("rider-" + rider)
					.query(Integer.class)
					.list()).containsExactlyElementsOf(IntStream.rangeClosed(1, RIDES / RIDERS).boxed().toList());
			}
		}
		finally {
			broker.destroy();
		}
	}

	/**
	 * By the work that is done, not by the clock: on any machine the kills fall into it.
	 */
	private static CompletableFuture<Void> killAtRandom(Service service, Random random, LongSupplier done) {
		int[] moments = random.ints(KILLS, 1, RIDES).sorted().toArray();
		return CompletableFuture.runAsync(() -> {
			for (int moment : moments) {
				patiently().until(() -> done.getAsLong() >= moment);
				service.killAndRestart();
			}
		}, (task) -> new Thread(task).start());
	}

	private void bookAll(URI address) {
		ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
		try {
			List<CompletableFuture<Void>> bookings = new ArrayList<>();
			for (int i = 0; i < RIDES; i++) {
				String ride = "{\"rider\":\"rider-%d\",\"fareCents\":%d}".formatted(i % RIDERS, 100 + i);
				bookings
					.add(CompletableFuture.runAsync(() -> book(address, UUID.randomUUID().toString(), ride), clients));
			}
			bookings.forEach(CompletableFuture::join);
		}
		finally {
			clients.shutdown();
		}
	}

	/**
	 * As clients do: the same key until there is an answer.
	 */
	private void book(URI address, String key, String ride) {
		HttpRequest request = HttpRequest.newBuilder(address)
			.timeout(Duration.ofSeconds(10))
			.header("Idempotency-Key", key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(ride))
			.build();
		patiently().until(() -> {
			try {
				return this.http.send(request, BodyHandlers.discarding()).statusCode() == 201;
			}
			catch (IOException ex) {
				return false;
			}
		});
	}

	private static void await(LongSupplier remaining) {
		patiently().until(() -> remaining.getAsLong() <= 0);
	}

	/**
	 * Each look opens a connection, while the services need the processors.
	 */
	private static ConditionFactory patiently() {
		return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(200));
	}

	/**
	 * Until the ledger has seen every message, also the last duplicate.
	 * @return how many there were
	 */
	private static long awaitEverythingConsumed(String bootstrapServers) {
		try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
			Map<TopicPartition, OffsetSpec> partitions = Map.of(new TopicPartition("rides", 0), OffsetSpec.latest(),
					new TopicPartition("rides", 1), OffsetSpec.latest(), new TopicPartition("rides", 2),
					OffsetSpec.latest());
			return patiently().until(() -> {
				long sent = admin.listOffsets(partitions)
					.all()
					.get()
					.values()
					.stream()
					.mapToLong((end) -> end.offset())
					.sum();
				long consumed = admin.listConsumerGroupOffsets("ledger")
					.partitionsToOffsetAndMetadata()
					.get()
					.values()
					.stream()
					.mapToLong(OffsetAndMetadata::offset)
					.sum();
				return (consumed == sent) ? sent : -1;
			}, (sent) -> sent >= 0);
		}
	}

}
