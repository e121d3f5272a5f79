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
package dev.idempotency.autoconfigure.messaging;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.rabbit.config.RabbitListenerConfigUtils;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.aop.OperationResolver;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.messaging.BatchRequests;
import dev.idempotency.messaging.CurrentDelivery;
import dev.idempotency.messaging.HeaderKeys;
import dev.idempotency.messaging.IdempotentKafkaListenerRegistry;
import dev.idempotency.messaging.IdempotentRabbitListenerRegistry;
import dev.idempotency.messaging.IncomingMessage;
import dev.idempotency.messaging.KafkaListeners;
import dev.idempotency.messaging.ListenerRules;
import dev.idempotency.messaging.MessageContent;
import dev.idempotency.messaging.MessageKeyResolver;
import dev.idempotency.messaging.MessageRequests;
import dev.idempotency.messaging.RabbitListeners;

/**
 * Auto-configuration of annotated listeners of Kafka and RabbitMQ.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.messaging.enabled", matchIfMissing = true)
@ConditionalOnClass(MessageRequests.class)
@Conditional(IdempotencyMessagingAutoConfiguration.OnBroker.class)
@ConditionalOnBean(IdempotencyEngine.class)
@EnableConfigurationProperties(MessagingProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyMessagingAutoConfiguration {

	@Bean
	CurrentDelivery idempotencyCurrentDelivery(MessagingProperties properties) {
		return new CurrentDelivery(properties.ttl());
	}

	@Bean
	@ConditionalOnMissingBean
	MessageKeyResolver idempotencyMessageKeyResolver(MessagingProperties properties) {
		return new HeaderKeys(properties.keyHeaders());
	}

	@Bean
	@ConditionalOnMissingBean
	MessageContent idempotencyMessageContent() {
		return IncomingMessage::payload;
	}

	@Bean
	MessageRequests idempotencyMessageRequests(MessageKeyResolver keys, MessageContent contents,
			MessagingProperties properties) {
		return new MessageRequests(keys, contents, properties.maxWait());
	}

	@Bean
	BatchRequests idempotencyBatchRequests(IdempotencyEngine engine, OperationCalls calls, MessageRequests requests,
			ThreadGuard threads) {
		return new BatchRequests(engine, calls, requests, threads);
	}

	@Bean
	ListenerRules idempotencyListenerRules(OperationResolver resolver) {
		return new ListenerRules(resolver);
	}

	/**
	 * Annotated listeners of Kafka.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ KafkaListenerEndpointRegistry.class, KafkaListeners.class })
	static class Kafka {

		@Bean
		KafkaListeners idempotencyKafkaListeners(ListenerRules rules, CurrentDelivery current,
				IdempotencyOperations operations, MessageRequests requests, BatchRequests batches,
				MessagingProperties properties) {
			return new KafkaListeners(rules, current, operations, requests, batches, properties.offsetKeys());
		}

		@Bean
		static ListenerRegistryReplacement idempotencyKafkaListenerRegistry(AnnotatedTypes types) {
			return new ListenerRegistryReplacement(KafkaListenerConfigUtils.KAFKA_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
					KafkaListenerEndpointRegistry.class, IdempotentKafkaListenerRegistry.class, types);
		}

	}

	/**
	 * Annotated listeners of RabbitMQ.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ RabbitListenerEndpointRegistry.class, RabbitListeners.class })
	@ImportRuntimeHints(Hints.class)
	static class Rabbit {

		@Bean
		RabbitListeners idempotencyRabbitListeners(ListenerRules rules, CurrentDelivery current,
				IdempotencyOperations operations, MessageRequests requests, BatchRequests batches) {
			return new RabbitListeners(rules, current, operations, requests, batches);
		}

		@Bean
		static ListenerRegistryReplacement idempotencyRabbitListenerRegistry(AnnotatedTypes types) {
			return new ListenerRegistryReplacement(
					RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
					RabbitListenerEndpointRegistry.class, IdempotentRabbitListenerRegistry.class, types);
		}

	}

	/**
	 * Matches if either broker is present.
	 */
	static class OnBroker extends AnyNestedCondition {

		OnBroker() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnClass(name = "org.springframework.kafka.config.KafkaListenerEndpointRegistry")
		static class KafkaIsPresent {

		}

		@ConditionalOnClass(name = "org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry")
		static class RabbitIsPresent {

		}

	}

	/**
	 * Factories, to detect their containers, and channels, to detect acknowledgements.
	 */
	public static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies()
				.registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(RabbitListenerContainerFactory.class));
			hints.proxies().registerJdkProxy(Channel.class);
		}

	}

}
