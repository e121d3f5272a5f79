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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.messagingtests.broker.BrokerNetwork;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.OutboxMessage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A broker that blocks its publishers, hangs, or is lost with events on their way.
 */
class BlockedBrokerTests {

	private static final String SEND_TIMEOUT = "idempotency.outbox.send-timeout=500ms";

	private static final Duration BOUND = Duration.ofSeconds(3);

	/**
	 * Asserts that the relay has no transaction open, and opens none that stays, while
	 * its broker is blocked.
	 */
	private static void assertNoTransactionStaysOpen(OutboxNode node) {
		await().until(() -> node.openTransaction().isZero());
		await().during(Duration.ofSeconds(6))
			.atMost(Duration.ofSeconds(12))
			.until(() -> node.openTransaction().compareTo(BOUND) < 0);
	}

	private static void publishForManyKeys(OutboxNode node, String queue, byte[] payload) {
		node.transaction().executeWithoutResult((status) -> {
			for (int key = 0; key < 20; key++) {
				node.outbox().publish(OutboxMessage.to(queue, payload).withType("test").withKey("key-" + key));
			}
		});
	}

	@Test
	@Tag("M9")
	void aSenderThatDoesNotReturnKeepsNoTransactionOpen() {
		try (OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Blocking.class), "kafka",
				SEND_TIMEOUT)) {
			Blocking blocking = node.context().getBean(Blocking.class);
			node.publish("blocked", "k", "first");
			await().until(() -> blocking.sent.contains("blocked"));
			node.publish("free", "k", "second");
			assertNoTransactionStaysOpen(node);
			blocking.released.countDown();
			await().until(() -> node.staged() == 0);
			assertThat(blocking.sent).containsExactlyInAnyOrder("blocked", "free");
		}
	}

	@Test
	@Tag("M2")
	void eventsThatAreNotAnsweredAreNotRefusedAndTheirSendersAreTold() {
		try (OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Silent.class, Hearing.class), "kafka",
				"idempotency.outbox.send-timeout=100ms", "idempotency.outbox.polling-interval=10ms")) {
			Silent silent = node.context().getBean(Silent.class);
			publishForManyKeys(node, "silent", new byte[0]);
			await().until(() -> silent.answers.stream().filter(CompletableFuture::isCancelled).count() >= 200);
			Hearing hearing = node.context().getBean(Hearing.class);
			assertThat(hearing.heard).contains(new EventNotRelayed("silent", RelayFailure.DESTINATION))
				.doesNotContain(new EventNotRelayed("silent", RelayFailure.EVENT));
			assertThat(node.outbox().failing()).isEmpty();
		}
	}

	/**
	 * As with the alarm of a RabbitMQ that is short of memory.
	 */
	@Test
	@Tag("M9")
	void aBrokerThatReadsNothingMoreKeepsNoTransactionOpenAndLosesNothing() {
		String queue = TestRabbit.queueName();
		declare(queue);
		try (BrokerNetwork network = new BrokerNetwork(TestRabbit.port());
				OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Hearing.class), "rabbit",
						SEND_TIMEOUT, "spring.rabbitmq.port=" + network.port())) {
			node.publish(queue, "k", "before");
			await().until(() -> node.staged() == 0);
			network.hang();
			publishForManyKeys(node, queue, new byte[1_000_000]);
			Hearing hearing = node.context().getBean(Hearing.class);
			await().until(() -> hearing.heard.contains(new EventNotRelayed(queue, RelayFailure.DESTINATION)));
			assertNoTransactionStaysOpen(node);
			assertThat(node.staged()).isEqualTo(20);
			network.resume();
			await().until(() -> node.staged() == 0);
			assertThat(hearing.heard).doesNotContain(new EventNotRelayed(queue, RelayFailure.EVENT));
		}
	}

	@Test
	@Tag("M2")
	void eventsThatAreOnTheirWayWhenTheBrokerIsLostAreNotRefused() {
		String queue = TestRabbit.queueName();
		declare(queue);
		try (BrokerNetwork network = new BrokerNetwork(TestRabbit.port());
				OutboxNode node = OutboxNode.start(OutboxNode.database(), List.of(Hearing.class), "rabbit",
						"idempotency.outbox.send-timeout=30s", "spring.rabbitmq.port=" + network.port())) {
			node.publish(queue, "k", "before");
			await().until(() -> node.staged() == 0);
			network.hang();
			publishForManyKeys(node, queue, new byte[] { 'x' });
			await().until(() -> node.openTransaction().compareTo(Duration.ofSeconds(1)) > 0);
			network.cut();
			network.resume();
			await().until(() -> node.staged() == 0);
			Set<IdempotencyNotification> heard = node.context().getBean(Hearing.class).heard;
			assertThat(heard).contains(new EventNotRelayed(queue, RelayFailure.DESTINATION))
				.doesNotContain(new EventNotRelayed(queue, RelayFailure.EVENT));
		}
	}

	private static void declare(String queue) {
		CachingConnectionFactory connections = new CachingConnectionFactory("localhost", TestRabbit.port());
		new RabbitAdmin(new RabbitTemplate(connections)).declareQueue(new org.springframework.amqp.core.Queue(queue));
		connections.destroy();
	}

	/**
	 * Does not return from the first attempt at an event.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Blocking {

		private final Set<String> sent = ConcurrentHashMap.newKeySet();

		private final CountDownLatch released = new CountDownLatch(1);

		private void awaitRelease() {
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		@Bean
		EventSender blockingSender() {
			return (event) -> {
				this.sent.add(event.destination());
				if (event.destination().equals("blocked")) {
					awaitRelease();
				}
				return CompletableFuture.completedFuture(null);
			};
		}

	}

	/**
	 * Answers for no event.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Silent {

		private final Queue<CompletableFuture<?>> answers = new ConcurrentLinkedQueue<>();

		@Bean
		EventSender silentSender() {
			return (event) -> {
				CompletableFuture<?> answer = new CompletableFuture<>();
				this.answers.add(answer);
				return answer;
			};
		}

	}

	/**
	 * Hears what happens.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Hearing {

		private final Set<IdempotencyNotification> heard = ConcurrentHashMap.newKeySet();

		@Bean
		IdempotencyListener heard() {
			return this.heard::add;
		}

	}

}
