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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.interceptor.TransactionAttribute;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.OperationFactory.AnnotatedMethod;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.MissingKeyException;

/**
 * Resolves and invokes annotated methods that are not endpoints. The key is an expression
 * over the arguments or a part of the message, and the return value is stored.
 */
public final class OperationProtection {

	private final IdempotencyOperations operations;

	private final OperationFactory factory;

	private final @Nullable Listeners listeners;

	private final Map<MethodClassKey, Optional<AnnotatedOperation>> resolved = new ConcurrentHashMap<>();

	/**
	 * The methods that were called, whose advisors are in order.
	 */
	private final Set<MethodClassKey> called = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a protection.
	 * @param operations runs the methods
	 * @param factory creates the operations
	 * @param listeners protects message listeners, {@code null} without messaging:
	 * listeners are then methods like any other
	 */
	public OperationProtection(IdempotencyOperations operations, OperationFactory factory,
			@Nullable Listeners listeners) {
		this.operations = operations;
		this.factory = factory;
		this.listeners = listeners;
	}

	/**
	 * Resolves an annotated method.
	 * @param method the method
	 * @param type the class of the bean
	 * @return the operation, empty for a method without the annotation, for an endpoint,
	 * and for a method that only shares a class with endpoints or listeners
	 * @throws InvalidIdempotentException if the annotation makes no sense
	 */
	public Optional<AnnotatedOperation> resolve(Method method, Class<?> type) {
		// One target for calls through the class, an interface or a bridge: the name of
		// the operation must not depend on how the method is called.
		Method target = BridgeMethodResolver.getMostSpecificMethod(method, type);
		return this.resolved.computeIfAbsent(new MethodClassKey(target, type), (key) -> resolveOnce(target, type));
	}

	private Optional<AnnotatedOperation> resolveOnce(Method method, Class<?> type) {
		Idempotent annotation = AnnotatedType.annotation(method, type);
		if (annotation == null || ProtocolMethods.isEndpoint(method, type)) {
			return Optional.empty();
		}
		AnnotatedMethod annotated = AnnotatedMethod.of(method, type);
		String where = annotated.where();
		boolean listener = ProtocolMethods.isListener(method, type);
		OperationRules.requireNoRoute(method, where);
		if (!listener && annotation.key().isEmpty() && AnnotatedType.onMethod(method) == null
				&& ProtocolMethods.areIn(type)) {
			return Optional.empty();
		}
		IdempotentOperation settings = (listener && this.listeners != null)
				? this.factory.createListener(annotated, annotation, this.listeners.ttl())
				: this.factory.create(annotated, annotation);
		if (settings.key() == null && (!listener || this.listeners == null)) {
			throw withoutKey(where, listener);
		}
		TransactionAttribute transaction = this.factory.transaction(method, type);
		if (transaction != null) {
			this.factory.requireBusinessManager(transaction, where);
		}
		OperationRules.require(method, annotation, transaction, where);
		KeyExpression key = (settings.key() != null) ? new KeyExpression(settings.key(), where) : null;
		if (key != null) {
			key.requireKnownVariables(method, listener ? KeyExpression.OF_MESSAGES : Set.of());
		}
		return Optional.of(new AnnotatedOperation(settings, annotation, key, method, type));
	}

	private static InvalidIdempotentException withoutKey(String where, boolean listener) {
		return listener ? new InvalidIdempotentException(
				"@Idempotent on " + where + " has no key, and keys of messages are not read.",
				"Add dev.idempotency:idempotency-messaging, or declare the key: @Idempotent(key = \"#command.id()\").")
				: new InvalidIdempotentException(
						"@Idempotent on " + where + " has no key, and the method is not an endpoint.",
						"Declare the key: @Idempotent(key = \"#command.id()\").");
	}

	@Nullable Object invoke(MethodInvocation invocation, Class<?> type) throws Throwable {
		AnnotatedOperation operation = resolve(invocation.getMethod(), type).orElse(null);
		if (operation == null) {
			return invocation.proceed();
		}
		MethodClassKey target = new MethodClassKey(invocation.getMethod(), type);
		if (!this.called.contains(target)) {
			AdvisorOrder.require(invocation, type, ProtocolMethods.isListener(operation.method(), type)
					? AdvisorOrder.Kind.LISTENER : AdvisorOrder.Kind.OPERATION);
			this.called.add(target);
		}
		if (this.listeners != null && this.listeners.isListening(operation)) {
			return this.listeners.invoke(operation, invocation);
		}
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
