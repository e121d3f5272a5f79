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

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.ConnectionFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.outbox.Outbox.FailingEvent;
import dev.idempotency.outbox.OutboxMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Events that RabbitMQ or its client does not accept.
 */
class RefusedEventTests {

	private static OutboxNode node;

	private static CachingConnectionFactory connections;

	private static RabbitAdmin admin;

	private String queue = "";

	@BeforeAll
	static void start() {
		node = OutboxNode.start(OutboxNode.database(), List.of(SmallFrames.class), "rabbit",
				"idempotency.outbox.send-timeout=30s");
		connections = new CachingConnectionFactory("localhost", TestRabbit.port());
		admin = new RabbitAdmin(new RabbitTemplate(connections));
	}

	@AfterAll
	static void stop() {
		connections.destroy();
		node.close();
	}

	@BeforeEach
	void declareQueue() {
		this.queue = TestRabbit.queueName();
		admin.declareQueue(new Queue(this.queue));
	}

	private FailingEvent awaitFailing(int failures) {
		return await()
			.until(() -> node.outbox()
				.failing()
				.stream()
				.filter((event) -> event.destination().equals(this.queue) && event.failures() >= failures)
				.toList(), (events) -> events.size() == 1)
			.get(0);
	}

	private List<String> receive(int count) {
		return IntStream.range(0, count).mapToObj((i) -> {
			Message message = admin.getRabbitTemplate().receive(this.queue, 30_000);
			assertThat(message).as("message %s of %s", i, this.queue).isNotNull();
			return new String(message.getBody());
		}).sorted().toList();
	}

	private static double channels() {
		return node.context().getBean(MeterRegistry.class).get("rabbitmq.channels").gauge().value();
	}

	@Test
	@Tag("M2")
	void anEventThatTheClientRefusesHoldsUpItsKeyAloneAndIsListedAndDiscarded() {
		String refused = node.commit(() -> {
			String id = node.outbox()
				.publish(OutboxMessage.to(this.queue, "refused")
					.withType("test")
					.withKey("refused")
					.withHeader("large", "x".repeat(10_000)));
			node.outbox().publish(OutboxMessage.to(this.queue, "later").withType("test").withKey("refused"));
			for (int key = 1; key <= 5; key++) {
				node.outbox().publish(OutboxMessage.to(this.queue, "good").withType("test").withKey("key-" + key));
			}
			return id;
		});
		assertThat(receive(5)).containsOnly("\"good\"");
		FailingEvent failing = awaitFailing(2);
		assertThat(failing.id()).isEqualTo(refused);
		assertThat(failing.lastError()).startsWith("The client of RabbitMQ does not send the message");
		node.outbox().discard(refused);
		assertThat(receive(1)).containsExactly("\"later\"");
	}

	@Test
	@Tag("M2")
	void attemptsAtARefusedEventLeaveNoChannelBehind() {
		node.publish(OutboxMessage.to(this.queue, "refused").withType("test").withHeader("large", "x".repeat(10_000)));
		awaitFailing(1);
		double before = channels();
		FailingEvent failing = awaitFailing(10);
		assertThat(channels()).isLessThanOrEqualTo(before);
		node.outbox().discard(failing.id());
	}

	/**
	 * The broker closes the channel of an event for an exchange that does not exist, and
	 * does not say which event it was.
	 */
	@Test
	@Tag("M2")
	void aChannelThatTheBrokerClosesIsTheFailureOfOneEvent() {
		Set<IdempotencyNotification> heard = node.context().getBean(SmallFrames.class).heard;
		heard.clear();
		String refused = node.commit(() -> {
			for (int key = 1; key <= 10; key++) {
				node.outbox().publish(OutboxMessage.to(this.queue, "good").withType("test").withKey("before-" + key));
			}
			String id = node.outbox().publish(OutboxMessage.to("missing-" + this.queue + "/x", "bad").withType("test"));
			for (int key = 1; key <= 10; key++) {
				node.outbox().publish(OutboxMessage.to(this.queue, "good").withType("test").withKey("after-" + key));
			}
			return id;
		});
		assertThat(receive(20)).containsOnly("\"good\"");
		await().until(() -> node.outbox().failing().stream().anyMatch((event) -> event.id().equals(refused)));
		assertThat(heard).doesNotContain(new EventNotRelayed(this.queue, RelayFailure.EVENT),
				new EventNotRelayed(this.queue, RelayFailure.DESTINATION));
		node.outbox().discard(refused);
	}

	/**
	 * Lets the client send frames of 4 KB, the least that the protocol allows, and hears
	 * what happens.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SmallFrames {

		private final Set<IdempotencyNotification> heard = ConcurrentHashMap.newKeySet();

		@Bean
		ConnectionFactoryCustomizer smallFrames() {
			return (factory) -> factory.setRequestedFrameMax(4096);
		}

		@Bean
		IdempotencyListener heard() {
			return this.heard::add;
		}

	}

}
