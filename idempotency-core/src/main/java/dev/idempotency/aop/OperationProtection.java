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
package dev.idempotency.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.MissingKeyException;

/**
 * Invokes annotated methods that are not endpoints. The key is an expression over the
 * arguments or a part of the message, and the answer is the return value.
 */
public final class OperationProtection {

	private final IdempotencyOperations operations;

	private final OperationResolver resolver;

	private final @Nullable Listeners listeners;

	private final AdvisorOrder order = new AdvisorOrder();

	/**
	 * Creates a protection.
	 * @param operations runs the methods
	 * @param resolver resolves the methods
	 * @param listeners protects message listeners, {@code null} without messaging
	 */
	public OperationProtection(IdempotencyOperations operations, OperationResolver resolver,
			@Nullable Listeners listeners) {
		this.operations = operations;
		this.resolver = resolver;
		this.listeners = listeners;
	}

	/**
	 * Returns whether calls of a method are protected, before it is called.
	 * @param method the method
	 * @param type the class of the bean
	 * @return {@code false} if it only shares a class with endpoints or listeners
	 * @throws InvalidIdempotentException if the annotation makes no sense
	 */
	public boolean protects(Method method, Class<?> type) {
		return this.resolver.resolve(method, type).isPresent();
	}

	@Nullable Object invoke(MethodInvocation invocation, Class<?> type) throws Throwable {
		AnnotatedOperation operation = this.resolver.resolve(invocation.getMethod(), type).orElse(null);
		if (operation == null) {
			return invocation.proceed();
		}
		if (this.listeners != null && this.listeners.isListening(operation)) {
			this.order.require(invocation, AdvisorOrder.Kind.LISTENER);
			return this.listeners.invoke(operation, invocation);
		}
		this.order.require(invocation, AdvisorOrder.Kind.OPERATION);
		KeyExpression expression = operation.key();
		if (expression == null) {
			throw new MissingKeyException(operation.settings().name() + " takes its key from a message, and was called "
					+ "without one. Let the listener container call it, or declare the key: "
					+ "@Idempotent(key = \"#command.id()\").");
		}
		String key = expression.evaluate(invocation.getThis(), operation.method(), invocation.getArguments());
		if (key == null || key.isBlank()) {
			if (operation.settings().required()) {
				throw new MissingKeyException(
						"The key of " + operation.settings().name() + " evaluates to null or to a blank text.");
			}
			return invocation.proceed();
		}
		return operation.execute(this.operations, request(operation.settings(), key, invocation),
				() -> ClaimedBody.proceed(invocation));
	}

	private static IdempotencyRequest request(IdempotentOperation settings, String key, MethodInvocation invocation) {
		return new IdempotencyRequest(settings.name(), key, Arrays.asList(invocation.getArguments()), settings.scope(),
				settings.resource(), settings.ttl(), null, null);
	}

	/**
	 * The protection of annotated methods that are called for a message, whose key is not
	 * among their arguments.
	 */
	public interface Listeners {

		/**
		 * Invokes a method for the message on the current thread.
		 * @param operation the annotated method
		 * @param invocation the invocation
		 * @return the return value of this or the first execution
		 * @throws Throwable the exception of the method, or the reason why it was not
		 * invoked
		 */
		@Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable;

		/**
		 * Returns whether the current thread handles a message for a method.
		 * @param operation the annotated method
		 * @return {@code false} if other code calls the method
		 */
		boolean isListening(AnnotatedOperation operation);

		/**
		 * Returns the time for which messages are remembered unless the annotation sets
		 * it.
		 * @return the default time to live
		 */
		Duration ttl();

	}

}
