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

import java.util.List;
import java.util.stream.Stream;

import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.kafka.annotation.KafkaListener;

import dev.idempotency.Idempotent;

/**
 * Listeners with several consumers, on a topic and a queue that the test names.
 */
@Configuration(proxyBeanMethods = false)
@Import({ KafkaErrorHandling.class, DeliveryCount.class, Gate.class, ConcurrentListeners.Listeners.class })
class ConcurrentListeners {

	@Bean
	Declarables queues(Environment environment) {
		return new Declarables(
				Stream.of("queue", "gated-queue").map(environment::getProperty).map(Queue::new).toList());
	}

	@Bean
	RabbitAdmin rabbitAdmin(ConnectionFactory connections) {
		return new RabbitAdmin(connections);
	}

	@Bean
	SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(ConnectionFactory connections,
			DeliveryCount deliveries) {
		SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
		factory.setConnectionFactory(connections);
		factory.setAdviceChain(deliveries);
		factory.setPrefetchCount(1);
		return factory;
	}

	static class Listeners {

		private final Effects effects;

		private final Gate gate;

		Listeners(Effects effects, Gate gate) {
			this.effects = effects;
			this.gate = gate;
		}

		@Idempotent
		@KafkaListener(topics = "${topic}", groupId = "kafka", concurrency = "3")
		void kafka(String payload) {
			this.effects.add("kafka", payload);
		}

		@Idempotent
		@KafkaListener(topics = "${batch-topic}", groupId = "batch", concurrency = "3", batch = "true")
		void batch(List<String> payloads) {
			payloads.forEach((payload) -> this.effects.add("batch", payload));
		}

		@Idempotent
		@KafkaListener(topics = "${gated-topic}", groupId = "gated-kafka", concurrency = "2")
		void gatedKafka(String payload) {
			this.effects.add("gated-kafka", payload);
			this.gate.pass();
		}

		@Idempotent
		@RabbitListener(queues = "${queue}", concurrency = "3")
		void rabbit(String payload) {
			this.effects.add("rabbit", payload);
		}

		@Idempotent
		@RabbitListener(queues = "${gated-queue}", concurrency = "2")
		void gatedRabbit(String payload) {
			this.effects.add("gated-rabbit", payload);
			this.gate.pass();
		}

	}

}
