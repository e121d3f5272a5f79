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

import java.util.stream.Stream;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.PublisherCallbackChannel;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.support.Acknowledgment;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.messaging.Inbox;
import dev.idempotency.messaging.IncomingMessage;
import dev.idempotency.messaging.KafkaInbox;
import dev.idempotency.messaging.MessageContent;
import dev.idempotency.messaging.MessageKeyResolver;
import dev.idempotency.messaging.RabbitInbox;

/**
 * Auto-configuration of annotated listeners of Kafka and RabbitMQ.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass(Inbox.class)
@Conditional(IdempotencyMessagingAutoConfiguration.OnBroker.class)
@ConditionalOnBean(IdempotencyEngine.class)
@EnableConfigurationProperties({ MessagingProperties.class, ExecutionProperties.class })
@Import(EnforcementImport.class)
public final class IdempotencyMessagingAutoConfiguration {

	@Bean
	@Lazy
	Inbox idempotencyInbox(IdempotencyOperations operations, IdempotencyEngine engine, OperationCalls calls,
			RequestTransactions transactions, MessageKeyResolver keys, MessageContent contents,
			MessagingProperties properties) {
		return new Inbox(operations, engine, calls, transactions, keys, contents, properties.ttl());
	}

	@Bean
	@ConditionalOnMissingBean
	MessageKeyResolver idempotencyMessageKeyResolver(MessagingProperties properties) {
		return MessageKeyResolver.ofHeaders(properties.keyHeaders());
	}

	@Bean
	@ConditionalOnMissingBean
	MessageContent idempotencyMessageContent() {
		return IncomingMessage::payload;
	}

	/**
	 * Annotated listeners of Kafka.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ KafkaListenerEndpointRegistry.class, KafkaInbox.class })
	@ImportRuntimeHints(KafkaHints.class)
	static class Kafka {

		@Bean
		KafkaInbox idempotencyKafkaInbox(BeanFactory beans, ObjectProvider<OperationProtection> protection,
				ObjectProvider<Inbox> inbox, MessagingProperties properties, ExecutionProperties execution) {
			return new KafkaInbox(beans, protection, inbox, execution.longestWait(), properties.offsetKeys());
		}

	}

	/**
	 * Annotated listeners of RabbitMQ.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ RabbitListenerEndpointRegistry.class, RabbitInbox.class })
	@ImportRuntimeHints(RabbitHints.class)
	static class Rabbit {

		@Bean
		RabbitInbox idempotencyRabbitInbox(BeanFactory beans, ObjectProvider<OperationProtection> protection,
				ObjectProvider<Inbox> inbox) {
			return new RabbitInbox(beans, protection, inbox);
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
	 * Factories and error handlers, to see containers and their failures.
	 */
	static final class KafkaHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			Stream.of(KafkaListenerContainerFactory.class, CommonErrorHandler.class, AfterRollbackProcessor.class)
				.forEach((type) -> hints.proxies().registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(type)));
			hints.proxies().registerJdkProxy(Acknowledgment.class);
		}

	}

	/**
	 * Factories, to see their containers, the channels of listeners, and the strategy by
	 * which a container takes messages apart.
	 */
	static final class RabbitHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.proxies()
				.registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(RabbitListenerContainerFactory.class));
			hints.proxies().registerJdkProxy(Channel.class);
			hints.proxies().registerJdkProxy(ChannelProxy.class);
			hints.proxies().registerJdkProxy(ChannelProxy.class, PublisherCallbackChannel.class);
			hints.reflection()
				.registerType(AbstractMessageListenerContainer.class, MemberCategory.ACCESS_DECLARED_FIELDS);
		}

	}

}
