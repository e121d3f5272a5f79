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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.core.KafkaTemplate;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A running application with listeners, and what a test does with it.
 */
final class Inbox implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private Inbox(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts an application on a separate database.
	 */
	static Inbox start(Class<?> listeners, Map<String, String> settings) {
		return start(listeners, Effects.createDatabase(), settings);
	}

	static Inbox start(Class<?> listeners, TestDatabase database, Map<String, String> settings) {
		List<String> arguments = new ArrayList<>(arguments(database));
		settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
		return start(listeners, arguments);
	}

	static Inbox start(Class<?> listeners, List<String> arguments) {
		return start(List.of(listeners), arguments);
	}

	static Inbox start(List<Class<?>> listeners, List<String> arguments) {
		return new Inbox(new SpringApplicationBuilder(Base.class).sources(listeners.toArray(Class<?>[]::new))
			.web(WebApplicationType.NONE)
			.run(arguments.toArray(String[]::new)));
	}

	/**
	 * Returns the addresses of the database and the brokers.
	 */
	static List<String> arguments(TestDatabase database) {
		return List.of("--spring.datasource.url=" + database.jdbcUrl(),
				"--spring.datasource.username=" + database.username(),
				"--spring.datasource.password=" + database.password(), "--spring.application.name=inbox",
				"--spring.main.banner-mode=off", "--spring.flyway.enabled=false", "--spring.jpa.open-in-view=false",
				"--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
				"--spring.kafka.consumer.auto-offset-reset=earliest",
				"--spring.kafka.consumer.properties.metadata.max.age.ms=1000",
				"--spring.rabbitmq.port=" + TestRabbit.port());
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(50));
	}

	Effects effects() {
		return this.context.getBean(Effects.class);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	/**
	 * Sends a record to Kafka, and waits until it is there.
	 */
	@SuppressWarnings("unchecked")
	void sendToKafka(String topic, int partition, @Nullable String value, Map<String, String> headers) {
		ProducerRecord<String, @Nullable String> message = new ProducerRecord<>(topic, partition, "key", value);
		headers.forEach((name, content) -> message.headers().add(name, content.getBytes()));
		this.context.getBean(KafkaTemplate.class).send(message).join();
	}

	void sendToKafka(String topic, String id, @Nullable String value) {
		sendToKafka(topic, 0, value, Map.of("ce_id", id, "ce_source", "/tests"));
	}

	void sendToRabbit(String queue, String value, MessagePostProcessor properties) {
		this.context.getBean(RabbitTemplate.class).convertAndSend(queue, (Object) value, properties);
	}

	void sendToRabbit(String queue, String id, String value) {
		sendToRabbit(queue, value, (message) -> {
			message.getMessageProperties().setMessageId(id);
			return message;
		});
	}

	static String randomId() {
		return UUID.randomUUID().toString();
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Effects.class)
	static class Base {

	}

}
