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

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.config.MultiMethodKafkaListenerEndpoint;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedOperation;

/**
 * Protects the containers of Kafka's annotated listeners.
 */
public final class KafkaListeners {

	/**
	 * The beginning of the ids that Spring Kafka generates, numbered from the start of
	 * the application.
	 */
	private static final String GENERATED_ID = "org.springframework.kafka.KafkaListenerEndpointContainer#";

	private final ListenerRules rules;

	private final CurrentDelivery current;

	private final IdempotencyOperations operations;

	private final MessageRequests requests;

	private final BatchRequests batches;

	private final KafkaMessages messages;

	private final Map<String, Main> mains = new ConcurrentHashMap<>();

	/**
	 * Creates the protection.
	 * @param rules the rules for listeners
	 * @param current passes messages to the aspect
	 * @param operations runs single messages
	 * @param requests creates requests from messages
	 * @param batches claims batches of messages
	 * @param offsetKeys whether the position in the log may be the key
	 */
	public KafkaListeners(ListenerRules rules, CurrentDelivery current, IdempotencyOperations operations,
			MessageRequests requests, BatchRequests batches, boolean offsetKeys) {
		this.rules = rules;
		this.current = current;
		this.operations = operations;
		this.requests = requests;
		this.batches = batches;
		this.messages = new KafkaMessages(offsetKeys);
	}

	/**
	 * Puts a listener in front of the container's listener, if that has annotated
	 * methods.
	 * @param endpoint the endpoint
	 * @param container its container
	 */
	void protect(KafkaListenerEndpoint endpoint, MessageListenerContainer container) {
		if (!(endpoint instanceof MethodKafkaListenerEndpoint<?, ?> methods)) {
			return;
		}
		MessageListenerContainer main = main(methods, container);
		this.rules.find(methods.getBean(), methods(methods), main.getListenerId(), GENERATED_ID)
			.ifPresent((listener) -> protect(listener, container, main));
	}

	/**
	 * Finds the main container of a retry topic: containers of retry topics have separate
	 * groups and ids, and are registered after their main container. The container of a
	 * dead-letter topic has another method as well, and is another listener.
	 */
	private MessageListenerContainer main(MethodKafkaListenerEndpoint<?, ?> endpoint,
			MessageListenerContainer container) {
		String id = endpoint.getMainListenerId();
		if (id == null) {
			this.mains.put(endpoint.getId(), new Main(container, methods(endpoint)));
			return container;
		}
		Main main = this.mains.get(id);
		return (main != null && main.methods().equals(methods(endpoint))) ? main.container() : container;
	}

	@SuppressWarnings("unchecked")
	private void protect(ProtectedListener listener, MessageListenerContainer container,
			MessageListenerContainer main) {
		Object delegate = container.getContainerProperties().getMessageListener();
		if (delegate instanceof AcknowledgingConsumerAwareMessageListener<?, ?> single) {
			container.setupMessageListener(
					new KafkaRecordListener<>((AcknowledgingConsumerAwareMessageListener<Object, Object>) single,
							this.current, (message, settlement) -> new MessageDelivery(this.operations, this.requests,
									listener.type(), this.messages.read(message), scope(listener, main), settlement)));
			return;
		}
		if (delegate instanceof BatchAcknowledgingConsumerAwareMessageListener<?, ?> batch) {
			AnnotatedOperation operation = ListenerRules.requireBatch(listener);
			container.setupMessageListener(new KafkaBatchListener<>(
					(BatchAcknowledgingConsumerAwareMessageListener<Object, Object>) batch, this.current,
					(messages) -> this.batches.claim(operation, messages.stream().map(this.messages::read).toList(),
							(place) -> scope(listener, main))));
			return;
		}
		throw ListenerRules.refusal(listener.operations().get(0), "belongs to a container that is not supported.",
				"Let it consume records of a consumer group, one by one or in batches.");
	}

	private static String scope(ProtectedListener listener, MessageListenerContainer main) {
		String group = main.getGroupId();
		return listener.scope("kafka", (group != null) ? group : "");
	}

	private static List<Method> methods(MethodKafkaListenerEndpoint<?, ?> endpoint) {
		if (!(endpoint instanceof MultiMethodKafkaListenerEndpoint<?, ?> multi)) {
			return List.of(endpoint.getMethod());
		}
		List<Method> methods = new ArrayList<>(multi.getMethods());
		Method other = multi.getDefaultMethod();
		if (other != null && !methods.contains(other)) {
			methods.add(other);
		}
		return methods;
	}

	private record Main(MessageListenerContainer container, List<Method> methods) {
	}

}
