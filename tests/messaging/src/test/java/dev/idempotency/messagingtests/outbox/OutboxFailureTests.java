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

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import kafka.server.BrokerServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.messaging.KafkaEventSender;
import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox.FailingEvent;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Events that a broker does not take, brokers that are not there, and relays that die.
 */
class OutboxFailureTests {

	/** Larger than the broker accepts, which the producer does not know. */
	private static final byte[] TOO_LARGE = new byte[2_000_000];

	private static final String LARGE_REQUESTS = "spring.kafka.producer.properties.max.request.size=4000000";

	private static FailingEvent awaitFailing(OutboxNode node, int failures) {
		return await()
			.until(() -> node.outbox().failing(),
					(events) -> events.size() == 1 && events.get(0).failures() >= failures)
			.get(0);
	}

	@Test
	@Tag("M2")
	void aPoisonEventHoldsBackItsKeyAndNoOtherUntilItIsDiscarded() {
		try (OutboxNode node = OutboxNode.onKafka(OutboxNode.database(), LARGE_REQUESTS);
				Topic topic = Topic.create(1)) {
			node.publish(topic.name(), "poisoned", "before");
			String poison = node.publish(topic.name(), "poisoned", TOO_LARGE);
			node.publish(topic.name(), "poisoned", "after");
			node.publish(topic.name(), "healthy", "other key");
			assertThat(topic.awaitValues(2)).containsExactly("\"before\"", "\"other key\"");
			FailingEvent failing = awaitFailing(node, 3);
			assertThat(failing.id()).isEqualTo(poison);
			assertThat(failing.lastError()).contains(RecordTooLargeException.class.getName());
			assertThat(node.staged()).isEqualTo(2);
			node.outbox().discard(poison);
			assertThat(topic.awaitValues(3)).endsWith("\"after\"");
			await().until(() -> node.staged() == 0);
			assertThatIllegalArgumentException().isThrownBy(() -> node.outbox().discard(poison));
			assertThatIllegalArgumentException().isThrownBy(() -> node.outbox().retry(poison));
		}
	}

	@Test
	void anEventWhoseSenderThrowsAnErrorHoldsBackItsKeyAndNoOther() {
		try (OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Broken.class), "kafka")) {
			String broken = node.publish("rides", "broken", "never");
			node.publish("rides", "healthy", "other key");
			Set<String> sent = node.context().getBean(Broken.class).sent;
			await().until(() -> sent.contains("healthy"));
			FailingEvent failing = awaitFailing(node, 2);
			assertThat(failing.id()).isEqualTo(broken);
			assertThat(failing.lastError()).isEqualTo(NoClassDefFoundError.class.getName());
		}
	}

	@Test
	void anOperatorLetsAFailedEventBeTriedBeforeItsTime() {
		try (OutboxNode node = OutboxNode.onKafka(OutboxNode.database(), "idempotency.outbox.polling-interval=1h",
				LARGE_REQUESTS); Topic topic = Topic.create(1)) {
			String poison = node.publish(topic.name(), "k", TOO_LARGE);
			awaitFailing(node, 1);
			node.outbox().retry(poison);
			assertThat(awaitFailing(node, 2).id()).isEqualTo(poison);
		}
	}

	@Test
	void aTopicThatIsMissingIsNoFaultOfItsEventsAndKeepsNoOtherWaiting() {
		try (OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Listening.class), "kafka",
				"idempotency.outbox.send-timeout=500ms"); Topic topic = Topic.create(1)) {
			String missing = "topic-" + UUID.randomUUID();
			node.publish(missing, "k", "first");
			node.publish(missing, "k", "second");
			Set<IdempotencyNotification> heard = node.context().getBean(Listening.class).heard;
			await().until(() -> heard.contains(new EventNotRelayed(missing, RelayFailure.DESTINATION)));
			node.publish(topic.name(), "k", "elsewhere");
			assertThat(topic.awaitValues(1)).containsExactly("\"elsewhere\"");
			assertThat(node.outbox().failing()).isEmpty();
			TestKafka.createTopic(missing, 1);
			try (Topic created = Topic.of(missing)) {
				assertThat(created.awaitDistinctValues(2)).containsExactly("\"first\"", "\"second\"");
			}
		}
	}

	@Test
	@Tag("M2")
	void whatIsPublishedWhileTheBrokerIsDownIsSentInOrderWhenItIsUp() {
		EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "rides");
		// Other tests have another one.
		broker.brokerListProperty("idempotency.test.restarted");
		broker.afterPropertiesSet();
		try (OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Listening.class), "kafka",
				"spring.kafka.bootstrap-servers=" + broker.getBrokersAsString(),
				"idempotency.outbox.send-timeout=1s")) {
			node.publish("rides", "k", 0);
			await().until(() -> node.staged() == 0);
			BrokerServer server = broker.getCluster().brokers().get(0);
			server.shutdown();
			for (int i = 1; i < 10; i++) {
				node.publish("rides", "k", i);
			}
			Set<IdempotencyNotification> heard = node.context().getBean(Listening.class).heard;
			await().until(() -> heard.contains(new EventNotRelayed("rides", RelayFailure.DESTINATION)));
			assertThat(node.staged()).isEqualTo(9);
			server.startup();
			try (Topic rides = Topic.of("rides", broker.getBrokersAsString())) {
				assertThat(rides.awaitDistinctValues(10)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8",
						"9");
				await().until(() -> node.staged() == 0);
				assertThat(heard).doesNotContain(new EventNotRelayed("rides", RelayFailure.EVENT));
			}
		}
		finally {
			broker.destroy();
		}
	}

	@Test
	void anEventWhoseRelayDiesBeforeItIsRemovedIsSentAgainWithTheSameId() {
		TestDatabase database = OutboxNode.database();
		try (OutboxNode node = OutboxNode.start(database, List.of(Dying.class), "kafka");
				Topic topic = Topic.create(1)) {
			String first = node.commit(() -> {
				String id = node.outbox().publish(OutboxNode.event(topic.name(), "k", "first"));
				node.outbox().publish(OutboxNode.event(topic.name(), "k", "second"));
				return id;
			});
			List<ConsumerRecord<String, String>> messages = topic.await(3);
			assertThat(messages).extracting(ConsumerRecord::value)
				.containsExactly("\"first\"", "\"first\"", "\"second\"");
			assertThat(messages.subList(0, 2)).extracting((message) -> Topic.header(message, "ce_id"))
				.containsExactly(first, first);
			await().until(() -> node.staged() == 0);
		}
	}

	/**
	 * Hears what happens.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Listening {

		private final Set<IdempotencyNotification> heard = ConcurrentHashMap.newKeySet();

		@Bean
		IdempotencyListener heard() {
			return this.heard::add;
		}

	}

	/**
	 * Lacks a class for some events.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Broken {

		private final Set<String> sent = ConcurrentHashMap.newKeySet();

		@Bean
		EventSender brokenSender() {
			return (event) -> {
				if ("broken".equals(event.key())) {
					throw new NoClassDefFoundError("com/example/Missing");
				}
				this.sent.add(String.valueOf(event.key()));
				return CompletableFuture.completedFuture(null);
			};
		}

	}

	/**
	 * Between the first acknowledgement and the removal the database loses the relay, as
	 * it does when its node dies.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Dying {

		private final AtomicBoolean died = new AtomicBoolean();

		@Bean
		EventSender dyingSender(ProducerFactory<?, ?> producers, JdbcTemplate jdbc) {
			KafkaEventSender sender = new KafkaEventSender(producers, Duration.ofSeconds(10));
			return (event) -> sender.send(event).thenRun(() -> {
				if (this.died.compareAndSet(false, true)) {
					terminateRelay(jdbc);
				}
			});
		}

		private static void terminateRelay(JdbcTemplate jdbc) {
			jdbc.queryForList("select pg_terminate_backend(pid) from pg_stat_activity "
					+ "where datname = current_database() and state = 'idle in transaction'");
		}

	}

}
