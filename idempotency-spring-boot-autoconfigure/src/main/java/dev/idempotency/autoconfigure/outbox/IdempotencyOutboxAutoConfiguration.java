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
package dev.idempotency.autoconfigure.outbox;

import java.util.List;
import java.util.function.Function;

import javax.sql.DataSource;

import io.micrometer.observation.ObservationRegistry;
import org.apache.kafka.clients.producer.Producer;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.ProducerFactory;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.outbox.OutboxProperties.Broker;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.KafkaEventSender;
import dev.idempotency.messaging.RabbitEventSender;
import dev.idempotency.outbox.EventRelay;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxEventListener;

/**
 * The outbox, if it is enabled. The listener of annotated events always exists: without
 * an outbox it refuses them.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class },
		afterName = { "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
				"org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass({ JdbcTemplate.class, EventRelay.class })
@EnableConfigurationProperties(OutboxProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyOutboxAutoConfiguration {

	@Bean
	OutboxEventListener idempotencyOutboxEventListener(ObjectProvider<Outbox> outbox, Environment environment) {
		return new OutboxEventListener(outbox, environment);
	}

	/**
	 * Kafka, if the application has it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ProducerFactory.class, Producer.class })
	@ConditionalOnSingleCandidate(ProducerFactory.class)
	static class Kafka {

		@Bean
		BrokerSender idempotencyKafkaSender(ProducerFactory<?, ?> producers) {
			return new BrokerSender(Broker.KAFKA,
					(properties) -> new KafkaEventSender(producers, properties.sendTimeout()));
		}

	}

	/**
	 * RabbitMQ, if the application has it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConnectionFactory.class)
	@ConditionalOnSingleCandidate(ConnectionFactory.class)
	static class Rabbit {

		@Bean
		BrokerSender idempotencyRabbitSender(ConnectionFactory connections) {
			return new BrokerSender(Broker.RABBIT,
					(properties) -> new RabbitEventSender(connections, properties.sendTimeout()));
		}

	}

	/**
	 * The outbox itself.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("idempotency.outbox.enabled")
	@ConditionalOnBean({ DataSource.class, IdempotencyEngine.class, BusinessDatabase.class })
	@ConditionalOnMissingBean(Outbox.class)
	static class Relay {

		@Bean
		@ConditionalOnMissingBean
		EventSender idempotencyEventSender(ObjectProvider<BrokerSender> brokers, OutboxProperties properties) {
			return BrokerSender.choose(brokers.stream().toList(), properties);
		}

		@Bean
		@DependsOnDatabaseInitialization
		EventRelay idempotencyEventRelay(BusinessDatabase database, EventSender sender,
				NotificationPublisher notifications, ObjectProvider<JsonMapper> mapper, ContentCodec codec,
				IdentityFactory identities, ObjectProvider<ObservationRegistry> observations, OutboxProperties outbox) {
			requirePostgres(database.kind());
			return new EventRelay(database.joinedTransaction(), database.transactionManager(), sender, notifications,
					mapper.getIfAvailable(JsonMapper::shared), codec,
					observations.getIfUnique(() -> ObservationRegistry.NOOP),
					new EventRelay.Settings(identities.namespace(), outbox.pollingInterval(), outbox.sendTimeout()));
		}

		private static void requirePostgres(SupportedDatabase database) {
			if (database != SupportedDatabase.POSTGRESQL) {
				throw new InvalidIdempotentException(
						"idempotency.outbox.enabled=true is not supported on " + database.product()
								+ ": the outbox keeps its events on PostgreSQL only.",
						"Remove the property, or use PostgreSQL.");
			}
		}

		@Bean
		Outbox idempotencyOutbox(EventRelay relay) {
			return relay.outbox();
		}

	}

	/**
	 * A broker to which events can be sent.
	 *
	 * @param broker the broker
	 * @param factory creates its sender
	 */
	record BrokerSender(Broker broker, Function<OutboxProperties, EventSender> factory) {

		static EventSender choose(List<BrokerSender> present, OutboxProperties properties) {
			List<BrokerSender> chosen = present.stream()
				.filter((sender) -> properties.broker() == Broker.AUTO || properties.broker() == sender.broker())
				.toList();
			if (chosen.isEmpty()) {
				throw new InvalidIdempotentException(
						"The property idempotency.outbox.enabled is 'true', and no broker is available for "
								+ "idempotency.outbox.broker.",
						"Add spring-boot-starter-kafka or spring-boot-starter-amqp, whose ProducerFactory or "
								+ "ConnectionFactory must be the only one or primary, or declare an EventSender bean.");
			}
			if (chosen.size() > 1) {
				throw new InvalidIdempotentException(
						"The property idempotency.outbox.broker is 'auto', and both Kafka and RabbitMQ are available.",
						"Set it to kafka or rabbit, or declare an EventSender bean.");
			}
			return chosen.get(0).factory().apply(properties);
		}

	}

}
