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

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.NewTopic;

import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.FanoutExchange;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.amqp.autoconfigure.SimpleRabbitListenerContainerFactoryConfigurer;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;

import dev.idempotency.Idempotent;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;

/**
 * A node that publishes numbered events, relays them, and receives them one by one and in
 * batches.
 */
public final class SoakNode {

	static final String STARTED = "STARTED";

	static final int KEYS = 20;

	private static final int PUBLISHERS = 2;

	private SoakNode() {
	}

	public static void main(String[] arguments) {
		new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(arguments);
		System.out.println(STARTED);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Publisher.class, Effects.class, Kafka.class, Rabbit.class })
	static class Application {

		@Bean
		ScheduledExecutorService publishers(Publisher publisher) {
			ScheduledExecutorService threads = Executors.newScheduledThreadPool(PUBLISHERS);
			for (int i = 0; i < PUBLISHERS; i++) {
				threads.scheduleWithFixedDelay(publisher::run, 0, 25, TimeUnit.MILLISECONDS);
			}
			return threads;
		}

	}

	/**
	 * Publishes the next event of a key. Its number is in the order of the commits, since
	 * its row is locked.
	 */
	static class Publisher {

		private final JdbcClient jdbc;

		private final TransactionOperations transactions;

		private final Outbox outbox;

		private final String destination;

		Publisher(JdbcClient jdbc, TransactionOperations transactions, Outbox outbox,
				@Value("${soak.destination}") String destination) {
			this.jdbc = jdbc;
			this.transactions = transactions;
			this.outbox = outbox;
			this.destination = destination;
		}

		void run() {
			String key = "key-" + ThreadLocalRandom.current().nextInt(KEYS);
			try {
				this.transactions.executeWithoutResult((status) -> publish(key));
			}
			catch (DataAccessException | TransactionException ex) {
				// Neither the number nor the event is committed.
			}
		}

		private void publish(String key) {
			this.jdbc.sql("update stream set number = number + 1 where key = ? and number < goal returning number")
				.param(key)
				.query(Long.class)
				.optional()
				.ifPresent((number) -> this.outbox
					.publish(OutboxMessage.to(this.destination, key + "/" + number).withKey(key).withType("numbered")));
		}

	}

	/**
	 * The business rows of the listeners, in the order in which they were written.
	 */
	static class Effects {

		private final JdbcClient jdbc;

		Effects(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		void add(String listener, String json) {
			String[] event = json.replace("\"", "").split("/");
			this.jdbc.sql("insert into effect (listener, key, number) values (?, ?, ?)")
				.params(listener, event[0], Long.parseLong(event[1]))
				.update();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "idempotency.outbox.broker", havingValue = "kafka")
	@Import(KafkaListeners.class)
	static class Kafka {

		@Bean
		NewTopic topic() {
			return new NewTopic("soak", 4, (short) 1);
		}

	}

	static class KafkaListeners {

		private final Effects effects;

		KafkaListeners(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@KafkaListener(topics = "soak", groupId = "single", concurrency = "2")
		void single(String event) {
			this.effects.add("single", event);
		}

		@Idempotent
		@KafkaListener(topics = "soak", groupId = "batch", concurrency = "2", batch = "true")
		void batch(List<String> events) {
			events.forEach((event) -> this.effects.add("batch", event));
		}

	}

	/**
	 * One consumer of a queue is active, as the order requires.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "idempotency.outbox.broker", havingValue = "rabbit")
	@Import(RabbitListeners.class)
	static class Rabbit {

		@Bean
		Declarables topology() {
			FanoutExchange exchange = new FanoutExchange("soak");
			Queue single = QueueBuilder.durable("single").singleActiveConsumer().build();
			Queue batch = QueueBuilder.durable("batch").singleActiveConsumer().build();
			Binding toSingle = BindingBuilder.bind(single).to(exchange);
			Binding toBatch = BindingBuilder.bind(batch).to(exchange);
			return new Declarables(exchange, single, batch, toSingle, toBatch);
		}

		@Bean
		SimpleRabbitListenerContainerFactory batches(SimpleRabbitListenerContainerFactoryConfigurer configurer,
				ConnectionFactory connections) {
			SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
			configurer.configure(factory, connections);
			factory.setBatchListener(true);
			factory.setConsumerBatchEnabled(true);
			factory.setBatchSize(10);
			factory.setReceiveTimeout(100L);
			return factory;
		}

	}

	static class RabbitListeners {

		private final Effects effects;

		RabbitListeners(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@RabbitListener(queues = "single")
		void single(byte[] event) {
			this.effects.add("single", new String(event));
		}

		@Idempotent
		@RabbitListener(queues = "batch", containerFactory = "batches")
		void batch(List<byte[]> events) {
			events.forEach((event) -> this.effects.add("batch", new String(event)));
		}

	}

}
