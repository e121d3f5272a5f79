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
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.messaging.BatchRequests;
import dev.idempotency.messaging.CurrentDelivery;
import dev.idempotency.messaging.IdempotentRabbitListenerRegistry;
import dev.idempotency.messaging.ListenerRules;
import dev.idempotency.messaging.MessageRequests;
import dev.idempotency.messaging.RabbitListeners;

/**
 * Annotated listeners of RabbitMQ.
 */
@AutoConfiguration(after = IdempotencyMessagingAutoConfiguration.class)
@ConditionalOnClass({ RabbitListenerEndpointRegistry.class, RabbitListeners.class })
@ConditionalOnBean(MessageRequests.class)
@ImportRuntimeHints(IdempotencyRabbitAutoConfiguration.Hints.class)
@Import(EnforcementImport.class)
public final class IdempotencyRabbitAutoConfiguration {

	@Bean
	RabbitListeners idempotencyRabbitListeners(ListenerRules rules, CurrentDelivery current,
			IdempotencyOperations operations, MessageRequests requests, BatchRequests batches) {
		return new RabbitListeners(rules, current, operations, requests, batches);
	}

	@Bean
	static ListenerRegistryReplacement idempotencyRabbitListenerRegistry(AnnotatedTypes types) {
		return new ListenerRegistryReplacement(RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
				RabbitListenerEndpointRegistry.class, IdempotentRabbitListenerRegistry.class, types);
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
