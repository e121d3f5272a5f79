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
package dev.idempotency.messagingtests.inbox;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A message that comes again while its first delivery is running, which then fails. The
 * error handling of the container gives up after a few attempts.
 */
@Tag("M6")
class InProgressTests {

	/**
	 * More than the attempts of Spring Kafka's default error handler.
	 */
	private static final int ATTEMPTS = 13;

	@Test
	void recordOfConsumerThatExceededItsPollIntervalIsDeliveredUntilThatOneHasEnded() {
		String topic = TestKafka.createTopic(1);
		try (Inbox inbox = Inbox.start(KafkaApplication.class,
				Map.of("topic", topic, "idempotency.in-flight.wait", "1ms",
						"spring.kafka.consumer.properties.max.poll.interval.ms", "2000",
						"spring.kafka.consumer.properties.heartbeat.interval.ms", "500"))) {
			inbox.sendToKafka(topic, "1", "slow");
			Inbox.await().until(() -> inbox.bean(Gate.class).arrived() == 1);
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("slow") >= ATTEMPTS);
			assertThat(inbox.effects().of("slow")).isEmpty();
			inbox.bean(Gate.class).open();
			Inbox.await().until(() -> !inbox.effects().of("slow").isEmpty());
			assertThat(inbox.effects().of("slow")).containsExactly("slow");
			assertThat(inbox.effects().calls()).isEqualTo(2);
		}
	}

	@Test
	void messageIsNotRejectedWhileAnotherDeliveryRuns() {
		String queue = TestRabbit.queueName();
		try (Inbox inbox = Inbox.start(RabbitApplication.class,
				Map.of("queue", queue, "idempotency.in-flight.wait", "1ms"))) {
			inbox.sendToRabbit(queue, "1", "slow");
			inbox.sendToRabbit(queue, "1", "slow");
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("slow") >= 2);
			Inbox.await().until(() -> inbox.bean(Gate.class).arrived() == 1);
			inbox.bean(Gate.class).open();
			Inbox.await().until(() -> !inbox.effects().of("slow").isEmpty());
			assertThat(inbox.effects().of("slow")).containsExactly("slow");
			assertThat(inbox.effects().calls()).isEqualTo(2);
		}
	}

	/**
	 * Fails at the end of its first call.
	 */
	static class SlowListener {

		private final AtomicBoolean first = new AtomicBoolean(true);

		private final Effects effects;

		private final Gate gate;

		SlowListener(Effects effects, Gate gate) {
			this.effects = effects;
			this.gate = gate;
		}

		void handle(String payload) {
			boolean fails = this.first.getAndSet(false);
			this.effects.add("slow", payload);
			if (fails) {
				this.gate.pass();
				throw new AmqpRejectAndDontRequeueException("the first time");
			}
		}

	}

	static class SlowKafkaListener extends SlowListener {

		SlowKafkaListener(Effects effects, Gate gate) {
			super(effects, gate);
		}

		@Idempotent
		@KafkaListener(topics = "${topic}", groupId = "slow", concurrency = "2")
		void on(String payload) {
			handle(payload);
		}

	}

	static class SlowRabbitListener extends SlowListener {

		SlowRabbitListener(Effects effects, Gate gate) {
			super(effects, gate);
		}

		@Idempotent
		@RabbitListener(queues = "${queue}", concurrency = "2", containerFactory = "impatient")
		void on(String payload) {
			handle(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DeliveryCount.class, Gate.class, SlowKafkaListener.class })
	static class KafkaApplication {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DeliveryCount.class, Gate.class, SlowRabbitListener.class })
	static class RabbitApplication {

		@Bean
		Queue queue(@Value("${queue}") String name) {
			return new Queue(name);
		}

		@Bean
		RabbitAdmin rabbitAdmin(ConnectionFactory connections) {
			return new RabbitAdmin(connections);
		}

		/**
		 * One attempt, then the message is rejected.
		 */
		@Bean
		SimpleRabbitListenerContainerFactory impatient(ConnectionFactory connections, DeliveryCount deliveries) {
			SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
			factory.setConnectionFactory(connections);
			factory.setPrefetchCount(1);
			factory.setDefaultRequeueRejected(false);
			factory.setAdviceChain(deliveries);
			return factory;
		}

	}

}
