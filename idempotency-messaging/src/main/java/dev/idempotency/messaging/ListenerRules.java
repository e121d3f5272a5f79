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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.aop.OperationResolver;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The rules for annotated listeners, in addition to those for all annotated methods.
 */
public record ListenerRules(OperationResolver resolver) {

	/**
	 * Finds the annotated methods of an endpoint.
	 * @param bean the bean of the endpoint
	 * @param methods its listener methods
	 * @param id the id of the listener, {@code null} if it has none
	 * @param generated the beginning of ids that were not given by the application
	 * @return empty if none is annotated
	 * @throws InvalidIdempotentException if one cannot be protected
	 */
	Optional<ProtectedListener> find(Object bean, List<Method> methods, @Nullable String id, String generated) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		List<AnnotatedOperation> operations = new ArrayList<>();
		for (Method method : methods) {
			this.resolver.resolve(method, type).ifPresent(operations::add);
		}
		if (operations.isEmpty()) {
			return Optional.empty();
		}
		for (AnnotatedOperation operation : operations) {
			require(AopUtils.isAopProxy(bean), operation, "has no effect: the bean is not proxied.",
					"Do not let a BeanPostProcessor depend on it: such beans are created too early for a proxy.");
			require(!Message.class.isAssignableFrom(operation.method().getReturnType()), operation,
					"returns a Message, which cannot be stored as JSON and read again.",
					"Return the payload of the reply.");
		}
		String name = (id != null && !id.startsWith(generated)) ? "id:" + id
				: "method:" + operations.get(0).settings().name();
		return Optional.of(new ProtectedListener(type, operations, name));
	}

	/**
	 * Returns the method of an endpoint that receives batches.
	 * @param listener the endpoint
	 * @return its method
	 */
	static AnnotatedOperation requireBatch(ProtectedListener listener) {
		AnnotatedOperation operation = listener.operations().get(0);
		require(Arrays.asList(operation.method().getParameterTypes()).contains(List.class), operation,
				"belongs to a container that delivers batches, and takes no List.",
				"Take a List of payloads, messages or records, from which duplicates can be left out; or deliver "
						+ "single messages to a method that takes one.");
		require(AnnotatedElementUtils.findMergedAnnotation(operation.method(), SendTo.class) == null, operation,
				"gets batches and has @SendTo: its return value belongs to no single message, and is not sent again.",
				"Send the replies through the outbox, or receive single messages.");
		return operation;
	}

	private static void require(boolean condition, AnnotatedOperation operation, String problem, String action) {
		if (!condition) {
			throw refusal(operation, problem, action);
		}
	}

	static InvalidIdempotentException refusal(AnnotatedOperation operation, String problem, String action) {
		return new InvalidIdempotentException("@Idempotent on the listener " + operation.type().getSimpleName() + "#"
				+ operation.method().getName() + " " + problem, action);
	}

}
