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
package dev.idempotency.messagingtests.outbox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.testsupport.DedicatedServer;
import dev.idempotency.testsupport.TestDatabase;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * For one key the order at the broker is the order of commits, also where transactions
 * overlap and nodes relay side by side.
 */
class OutboxOrderTests {

	private static final int THREADS = 8;

	private static final int EVENTS = 400;

	private static final int KEYS = 5;

	@Test
	void whoPublishesSecondForAKeyCommitsSecondAndOthersDoNotWait() {
		try (OutboxNode node = OutboxNode.onKafka(OutboxNode.database()); Topic topic = Topic.create(1)) {
			CompletableFuture<Void> firstMayCommit = new CompletableFuture<>();
			CompletableFuture<Void> secondHasBegun = new CompletableFuture<>();
			CompletableFuture<Void> firstHasPublished = new CompletableFuture<>();
			CompletableFuture<Void> second = CompletableFuture
				.runAsync(() -> node.transaction().executeWithoutResult((status) -> {
					node.jdbc().update("insert into happened values ('second')");
					secondHasBegun.complete(null);
					firstHasPublished.join();
					node.outbox().publish(OutboxNode.event(topic.name(), "k", "second"));
				}), (task) -> new Thread(task).start());
			secondHasBegun.join();
			CompletableFuture<Void> first = CompletableFuture
				.runAsync(() -> node.transaction().executeWithoutResult((status) -> {
					node.outbox().publish(OutboxNode.event(topic.name(), "k", "first"));
					firstHasPublished.complete(null);
					firstMayCommit.join();
				}), (task) -> new Thread(task).start());
			await().until(() -> node.jdbc()
				.queryForObject("select count(*) from pg_locks where locktype = 'advisory' and not granted",
						Long.class) == 1);
			node.publish(topic.name(), "another key", "unrelated");
			assertThat(topic.awaitValues(1)).containsExactly("\"unrelated\"");
			firstMayCommit.complete(null);
			first.join();
			second.join();
			assertThat(topic.awaitValues(3)).containsExactly("\"unrelated\"", "\"first\"", "\"second\"");
		}
	}

	/**
	 * A node sees an event that another node has claimed. A transaction that is still
	 * running has an earlier position and a later id, and none with a later id has ended.
	 */
	@Test
	void aNodeThatSeesALaterEventStillReadsTheEarlierOneOfARunningTransaction() {
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of("autovacuum", "off"))) {
			TestDatabase database = server.createDatabase();
			database.execute("create table happened (label text not null)");
			try (OutboxNode one = holding(database); OutboxNode other = holding(database)) {
				CompletableFuture<Void> earlierHasPublished = new CompletableFuture<>();
				CompletableFuture<Void> earlierMayCommit = new CompletableFuture<>();
				CompletableFuture<Void> earlier = one.commit(() -> {
					one.jdbc().update("insert into happened values ('later')");
					CompletableFuture<Void> running = CompletableFuture
						.runAsync(() -> one.transaction().executeWithoutResult((status) -> {
							one.outbox().publish(OutboxNode.event("rides", "k", "first"));
							earlierHasPublished.complete(null);
							earlierMayCommit.join();
						}), (task) -> new Thread(task).start());
					earlierHasPublished.join();
					one.outbox().publish(OutboxNode.event("held", "k", "later"));
					return running;
				});
				await().until(() -> Holding.of(one).isHolding() || Holding.of(other).isHolding());
				OutboxNode reader = Holding.of(one).isHolding() ? other : one;
				int searches = Holding.of(reader).searches.get();
				await().until(() -> Holding.of(reader).searches.get() > searches + 5);
				earlierMayCommit.complete(null);
				earlier.join();
				reader.publish("rides", "k", "second");
				await().until(() -> Holding.of(reader).sent.contains("\"second\""));
				Holding.of(one).answer.complete(null);
				Holding.of(other).answer.complete(null);
				assertThat(Holding.of(reader).sent).containsExactly("\"first\"", "\"second\"");
			}
		}
	}

	private static OutboxNode holding(TestDatabase database) {
		return OutboxNode.start(database, List.of(Holding.class), "kafka", "idempotency.outbox.send-timeout=1m",
				"idempotency.reaper.enabled=false", "idempotency.completer.enabled=false");
	}

	/**
	 * PostgreSQL itself tells in which order transactions were committed. They end in
	 * another order than they began: each waits until some others have begun.
	 */
	@Test
	void twoNodesRelayWhatManyThreadsPublishInTheOrderOfTheirCommits() {
		try (DedicatedServer server = TestDatabase.startDedicatedServer(Map.of("track_commit_timestamp", "on"))) {
			TestDatabase database = server.createDatabase();
			database.execute("create table happened (label text not null)");
			try (OutboxNode one = OutboxNode.onKafka(database);
					OutboxNode other = OutboxNode.onKafka(database);
					Topic topic = Topic.create(3)) {
				publishFromManyThreads(List.of(one, other), topic.name());
				Map<String, List<String>> sent = new HashMap<>();
				for (ConsumerRecord<String, String> message : topic.await(EVENTS)) {
					sent.computeIfAbsent(message.key(), (key) -> new ArrayList<>()).add(message.value());
				}
				await().until(() -> one.staged() == 0);
				for (int key = 0; key < KEYS; key++) {
					assertThat(new LinkedHashSet<>(sent.get("key-" + key))).as("as first seen by a consumer")
						.containsExactlyElementsOf(committed(one, "key-" + key));
				}
			}
		}
	}

	private static void publishFromManyThreads(List<OutboxNode> nodes, String topic) {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<CompletableFuture<Void>> all = new ArrayList<>();
			Random random = new Random(4711);
			for (int i = 0; i < EVENTS; i++) {
				OutboxNode node = nodes.get(i % nodes.size());
				String key = "key-" + random.nextInt(KEYS);
				String label = key + "/" + i;
				double pause = random.nextDouble() / 100;
				all.add(CompletableFuture.runAsync(() -> node.transaction().executeWithoutResult((status) -> {
					node.jdbc().queryForList("select pg_sleep(?)", pause);
					node.outbox().publish(OutboxNode.event(topic, key, label));
					node.jdbc().update("insert into happened values (?)", label);
					node.jdbc().queryForList("select pg_sleep(?)", 0.01 - pause);
				}), threads));
			}
			all.forEach(CompletableFuture::join);
		}
		finally {
			threads.shutdown();
		}
	}

	private static List<String> committed(OutboxNode node, String key) {
		return node.jdbc()
			.queryForList("select '\"' || label || '\"' from happened where label like ? || '/%' "
					+ "order by pg_xact_commit_timestamp(xmin)", String.class, key);
	}

	/**
	 * Holds the events of one destination, and counts the searches of its node.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Holding {

		private final CompletableFuture<Void> answer = new CompletableFuture<>();

		private final List<String> sent = new CopyOnWriteArrayList<>();

		private final AtomicInteger searches = new AtomicInteger();

		private volatile boolean holding;

		static Holding of(OutboxNode node) {
			return node.context().getBean(Holding.class);
		}

		boolean isHolding() {
			return this.holding;
		}

		@Bean
		EventSender holdingSender() {
			return (event) -> {
				if (event.destination().equals("held")) {
					this.holding = true;
					return this.answer;
				}
				this.sent.add(new String(event.payload(), StandardCharsets.UTF_8));
				return CompletableFuture.completedFuture(null);
			};
		}

		@Bean
		IdempotencyListener searches() {
			return (notification) -> {
				if (notification instanceof OutboxChecked) {
					this.searches.incrementAndGet();
				}
			};
		}

	}

}
