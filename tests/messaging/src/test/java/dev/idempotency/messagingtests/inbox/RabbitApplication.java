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

import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application with all kinds of listeners of RabbitMQ.
 */
@Configuration(proxyBeanMethods = false)
@Import(RabbitMessageListeners.class)
class RabbitApplication {

	@Bean
	Failures failures() {
		return new Failures();
	}

	@Bean
	Declarables queues() {
		return new Declarables(Stream
			.of("plain", "one", "other", "asked", "manual", "batch", "batch-part", "fragments", "fragment-lists",
					"dead")
			.map(Queue::new)
			.toList());
	}

	@Bean
	RabbitAdmin rabbitAdmin(ConnectionFactory connections) {
		return new RabbitAdmin(connections);
	}

	/**
	 * The recoverer for messages whose retries in the listener are exhausted.
	 */
	@Bean
	RepublishMessageRecoverer recoverer(RabbitTemplate template, Failures failures) {
		return new RepublishMessageRecoverer(template, "", "dead") {

			@Override
			public void recover(Message message, @Nullable Throwable cause) {
				failures.add(message.getMessageProperties().getConsumerQueue(), Objects.requireNonNull(cause));
				super.recover(message, cause);
			}

		};
	}

	@Bean
	SimpleRabbitListenerContainerFactory manualFactory(ConnectionFactory connections) {
		SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
		factory.setConnectionFactory(connections);
		return factory;
	}

	/**
	 * Retries within the listener: the broker of the tests loses messages that are given
	 * back several at once, until the channel is closed.
	 */
	@Bean
	SimpleRabbitListenerContainerFactory batchFactory(ConnectionFactory connections) {
		SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
		factory.setConnectionFactory(connections);
		factory.setBatchListener(true);
		factory.setConsumerBatchEnabled(true);
		factory.setBatchSize(4);
		factory.setBatchReceiveTimeout(500L);
		factory.setDefaultRequeueRejected(false);
		factory.setAdviceChain(RetryInterceptorBuilder.stateless().maxRetries(1).build());
		return factory;
	}

}
