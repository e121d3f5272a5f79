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
package dev.idempotency.messaging;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Spring Kafka's registry, which creates every container, regardless of the registration
 * of its endpoint.
 */
public final class IdempotentKafkaListenerRegistry extends KafkaListenerEndpointRegistry {

	private final ObjectProvider<KafkaListeners> listeners;

	public IdempotentKafkaListenerRegistry(ObjectProvider<KafkaListeners> listeners) {
		this.listeners = listeners;
	}

	@Override
	protected MessageListenerContainer createListenerContainer(KafkaListenerEndpoint endpoint,
			KafkaListenerContainerFactory<?> factory) {
		MessageListenerContainer container = super.createListenerContainer(endpoint, factory);
		this.listeners.getObject().protect(endpoint, container);
		return container;
	}

}
