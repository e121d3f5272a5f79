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

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.messaging.BatchRequests;
import dev.idempotency.messaging.CurrentDelivery;
import dev.idempotency.messaging.IdempotentKafkaListenerRegistry;
import dev.idempotency.messaging.KafkaListeners;
import dev.idempotency.messaging.ListenerRules;
import dev.idempotency.messaging.MessageRequests;

/**
 * Annotated listeners of Kafka.
 */
@AutoConfiguration(after = IdempotencyMessagingAutoConfiguration.class)
@ConditionalOnClass({ KafkaListenerEndpointRegistry.class, KafkaListeners.class })
@ConditionalOnBean(MessageRequests.class)
@Import(EnforcementImport.class)
public final class IdempotencyKafkaAutoConfiguration {

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
