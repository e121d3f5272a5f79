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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.AfterReturningAdvice;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * A listener with annotated methods, and the rules for them.
 *
 * @param type the class of the bean
 * @param operations its annotated methods
 * @param name the name that stands in tables: the id that the application has given to
 * the method or to the container, or else the class, and the method if there is only one
 * @param place the place of delivery, up to the topic or queue
 * @param maxWait the time that a message waits while another delivery of it is running
 */
record InboxListener(Class<?> type, List<AnnotatedOperation> operations, String name, String place, Duration maxWait) {

	private static final String CHANNEL = "com.rabbitmq.client.Channel";

	/**
	 * The beginnings of the ids that containers have without the application: they are
	 * numbered from its start.
	 */
	private static final List<String> GENERATED_IDS = List.of(
			"org.springframework.kafka.KafkaListenerEndpointContainer#",
			"org.springframework.amqp.rabbit.RabbitListenerEndpointContainer#");

	/**
	 * Wraps a factory, so that each container that it creates is passed to a consumer.
	 * <p>
	 * A container is passed as an object: the methods that create one have different
	 * return types in Spring AMQP 4.0 and 4.1.
	 * @param type the type of the factory
	 * @param factory the factory of the application
	 * @param created consumes the containers
	 */
	static <F> F afterCreation(Class<F> type, F factory, Consumer<Object> created) {
		ProxyFactory proxy = new ProxyFactory();
		proxy.setInterfaces(type);
		proxy.setTarget(factory);
		proxy.addAdvice((AfterReturningAdvice) (container, method, arguments, target) -> {
			if (container != null && method.getName().equals("createListenerContainer")) {
				created.accept(container);
			}
		});
		// Endpoints may be registered by any thread, whatever its class loader is
		return type.cast(proxy.getProxy(InboxListener.class.getClassLoader()));
	}

	/**
	 * Finds the listener of an endpoint.
	 * @param bean the bean of the endpoint
	 * @param methods its listener methods
	 * @param id the id of the container, {@code null} if it has none
	 * @param protection resolves annotated methods
	 * @param place the place of delivery, up to the topic or queue
	 * @param maxWait the time that a message waits while another delivery is running
	 * @return the listener, empty if none of the methods is annotated
	 * @throws InvalidIdempotentException if one cannot be protected
	 */
	static Optional<InboxListener> find(Object bean, List<Method> methods, @Nullable String id,
			ObjectProvider<OperationProtection> protection, String place, Duration maxWait) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		List<AnnotatedOperation> operations = methods.stream()
			.filter((method) -> AnnotatedType.annotation(method, type) != null)
			.flatMap((method) -> protection.getObject().resolve(method, type).stream())
			.toList();
		if (operations.isEmpty()) {
			return Optional.empty();
		}
		AnnotatedOperation first = operations.get(0);
		String name = (methods.size() == 1) ? first.settings().name() : type.getName();
		boolean named = methods.size() == 1 && !first.annotation().id().isEmpty();
		InboxListener listener = new InboxListener(type, operations,
				(id == null || named || GENERATED_IDS.stream().anyMatch(id::startsWith)) ? name : id, place, maxWait);
		for (AnnotatedOperation operation : operations) {
			listener.require(AopUtils.isAopProxy(bean), operation, "has no effect: the bean is not proxied.",
					"Do not let a BeanPostProcessor depend on it: such beans are created too early for a proxy.");
			listener.require(!Message.class.isAssignableFrom(operation.method().getReturnType()), operation,
					"returns a Message, which cannot be stored as JSON and read again.",
					"Return the payload of the reply.");
		}
		return Optional.of(listener);
	}

	/**
	 * Returns the method of an endpoint that receives batches.
	 */
	AnnotatedOperation batch() {
		return this.operations.get(0);
	}

	/**
	 * Returns the scope in which the id of a message identifies one message.
	 * @param source the topic or the queue
	 */
	String scope(String source) {
		return place(this.place, source) + ':' + this.name;
	}

	/**
	 * Returns a place within another one, as a text without ambiguity.
	 */
	static String place(String outer, String inner) {
		return outer + ':' + inner.length() + ':' + inner;
	}

	/**
	 * Enforces the rules for batches.
	 * @param manual whether the listener is to acknowledge the messages
	 */
	void requireBatch(boolean manual) {
		AnnotatedOperation operation = batch();
		List<Class<?>> parameters = Arrays.asList(operation.method().getParameterTypes());
		require(!manual && parameters.stream().noneMatch((type) -> type.getName().equals(CHANNEL)), operation,
				"gets batches and acknowledges them itself, before all of it has committed.",
				"Let the container acknowledge them, after the last commit, and remove the Channel from the "
						+ "parameters. Report a message that fails by an exception; or receive single messages.");
		require(parameters.contains(List.class), operation,
				"belongs to a container that delivers batches, and takes no List.",
				"Take a List of payloads, messages or records, from which duplicates can be left out; or deliver "
						+ "single messages to a method that takes one.");
		require(AnnotatedElementUtils.findMergedAnnotation(operation.method(), SendTo.class) == null, operation,
				"gets batches and has @SendTo: its return value belongs to no single message, and is not sent again.",
				"Send the replies through the outbox, or receive single messages.");
	}

	void require(boolean condition, String problem, String action) {
		require(condition, this.operations.get(0), problem, action);
	}

	private void require(boolean condition, AnnotatedOperation operation, String problem, String action) {
		if (!condition) {
			throw new InvalidIdempotentException("@Idempotent on the listener " + this.type.getSimpleName() + "#"
					+ operation.method().getName() + " " + problem, action);
		}
	}

}
