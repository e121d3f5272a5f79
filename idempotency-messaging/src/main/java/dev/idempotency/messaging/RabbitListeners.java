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
import java.util.List;

import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.aop.AnnotatedOperation;

/**
 * Protects the containers of RabbitMQ's annotated listeners.
 *
 * @param rules the rules for listeners
 * @param current passes messages to the aspect
 * @param operations runs single messages
 * @param requests creates requests from messages
 * @param batches claims batches of messages
 */
public record RabbitListeners(ListenerRules rules, CurrentDelivery current, IdempotencyOperations operations,
		MessageRequests requests, BatchRequests batches) {

	/**
	 * The beginning of the ids that Spring AMQP generates, numbered from the start of the
	 * application.
	 */
	private static final String GENERATED_ID = "org.springframework.amqp.rabbit.RabbitListenerEndpointContainer#";

	/**
	 * Puts a listener in front of the container's listener, if that has annotated
	 * methods.
	 * @param endpoint the endpoint
	 * @param container its container, of a type that depends on the version of Spring
	 * AMQP
	 */
	void protect(RabbitListenerEndpoint endpoint, Object container) {
		if (!(endpoint instanceof MethodRabbitListenerEndpoint methods)) {
			return;
		}
		this.rules.find(methods.getBean(), methods(methods), endpoint.getId(), GENERATED_ID)
			.ifPresent((listener) -> protect(listener, container));
	}

	private void protect(ProtectedListener listener, Object container) {
		if (!(container instanceof AbstractMessageListenerContainer rabbit)) {
			throw ListenerRules.refusal(listener.operations().get(0), "belongs to a container that is not supported.",
					"Use a SimpleMessageListenerContainer or a DirectMessageListenerContainer.");
		}
		if (rabbit.getMessageListener() instanceof ChannelAwareBatchMessageListener batch) {
			AnnotatedOperation operation = ListenerRules.requireBatch(listener);
			rabbit.setupMessageListener(new RabbitBatchListener(batch, this.current,
					(messages) -> this.batches.claim(operation, messages.stream().map(RabbitMessages::read).toList(),
							(place) -> scope(listener, RabbitMessages.queue(messages.get(place)))),
					() -> rabbit.getAcknowledgeMode().isManual()));
		}
		else if (rabbit.getMessageListener() instanceof ChannelAwareMessageListener single) {
			rabbit.setupMessageListener(new RabbitMessageListener(single, this.current,
					(message, settlement) -> new MessageDelivery(this.operations, this.requests, listener.type(),
							RabbitMessages.read(message), scope(listener, RabbitMessages.queue(message)), settlement),
					() -> rabbit.getAcknowledgeMode().isManual()));
		}
	}

	private static String scope(ProtectedListener listener, String queue) {
		return listener.scope("rabbit", queue);
	}

	private static List<Method> methods(MethodRabbitListenerEndpoint endpoint) {
		Method method = endpoint.getMethod();
		if (method != null) {
			return List.of(method);
		}
		return List.copyOf(MethodIntrospector.selectMethods(
				ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(endpoint.getBean())),
				(Method handler) -> AnnotatedElementUtils.hasAnnotation(handler, RabbitHandler.class)));
	}

}
