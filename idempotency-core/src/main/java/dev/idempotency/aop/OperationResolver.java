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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.interceptor.TransactionAttribute;

import dev.idempotency.Idempotent;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.operation.AnnotatedMethod;
import dev.idempotency.engine.operation.OperationFactory;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Resolves annotated methods that are not endpoints, each once.
 */
public final class OperationResolver {

	private final OperationFactory factory;

	private final OperationFactory.@Nullable Defaults listenerDefaults;

	private final Map<MethodClassKey, Optional<AnnotatedOperation>> resolved = new ConcurrentHashMap<>();

	/**
	 * Creates a resolver.
	 * @param factory creates the operations
	 * @param listenerDefaults the defaults of message listeners, {@code null} without
	 * support for messages: listeners are then methods like any other
	 */
	public OperationResolver(OperationFactory factory, OperationFactory.@Nullable Defaults listenerDefaults) {
		this.factory = factory;
		this.listenerDefaults = listenerDefaults;
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
		return this.resolved.computeIfAbsent(
				new MethodClassKey(BridgeMethodResolver.getMostSpecificMethod(method, type), type),
				(key) -> resolveOnce(BridgeMethodResolver.getMostSpecificMethod(method, type), type));
	}

	private Optional<AnnotatedOperation> resolveOnce(Method method, Class<?> type) {
		Idempotent annotation = IdempotentAnnotations.find(method, type);
		if (annotation == null || ProtocolMethods.isEndpoint(method, type)) {
			return Optional.empty();
		}
		AnnotatedMethod annotated = AnnotatedMethod.of(method, type);
		String where = annotated.where();
		boolean listener = ProtocolMethods.isListener(method, type);
		OperationRules.requireNoRoute(method, where);
		OperationFactory.Defaults defaults = listener ? this.listenerDefaults : null;
		if (!listener && annotation.key().isEmpty() && IdempotentAnnotations.onMethod(method) == null
				&& ProtocolMethods.areIn(type)) {
			return Optional.empty();
		}
		IdempotentOperation settings = (defaults != null) ? this.factory.create(annotated, annotation, defaults)
				: this.factory.create(annotated, annotation);
		if (settings.key() == null && defaults == null) {
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

}
