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
package dev.idempotency.web.policy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.IdempotentAnnotations;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.engine.operation.OperationFactory;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Resolves and validates annotated controller methods.
 */
final class EndpointResolver {

	private final OperationFactory operations;

	private final LeaseExpiry onExpiry;

	private final OperationNames names = new OperationNames();

	private final ReturnTypes returnTypes = new ReturnTypes();

	private final Set<Method> handlers = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a resolver.
	 * @param operations makes operations of annotations
	 * @param onExpiry the treatment of a request whose owner let its lease expire
	 */
	EndpointResolver(OperationFactory operations, LeaseExpiry onExpiry) {
		this.operations = operations;
		this.onExpiry = onExpiry;
	}

	/**
	 * Registers a mapping, which decides about the names of others.
	 */
	void register(RequestMappingInfo info, HandlerMethod handler) {
		this.names.add(info, handler);
	}

	/**
	 * Returns whether a method was resolved as that of an endpoint.
	 */
	boolean isResolved(Method method) {
		return this.handlers.contains(method);
	}

	/**
	 * Resolves a handler.
	 * @return the endpoint, empty if the handler is not annotated or changes nothing
	 * @throws InvalidIdempotentException if it cannot be protected
	 */
	Optional<Endpoint> resolve(RequestMappingInfo info, HandlerMethod handler) {
		Idempotent annotation = IdempotentAnnotations.find(handler.getMethod(), handler.getBeanType());
		if (annotation == null || EndpointRegistry.isSafe(info)) {
			return Optional.empty();
		}
		String where = handler.getShortLogMessage();
		requireAdvised(handler, where);
		this.handlers.add(handler.getMethod());
		IdempotentOperation operation = this.operations.create(this.names.name(info, handler), annotation, where);
		if (PhaseRules.isPhased(handler)) {
			PhaseRules.require(handler, annotation, operation, where);
			operation = this.operations.replace(operation.withMode(Mode.LEASED));
		}
		this.returnTypes.requireReplayable(handler, operation, where);
		KeyExpression expression = (operation.key() != null) ? new KeyExpression(operation.key(), where) : null;
		if (expression != null) {
			expression.requireKnownVariables(handler.getMethod(), Set.of());
		}
		EffectCommits commits = commits(handler, operation);
		boolean streaming = ReturnTypes.isStreaming(handler);
		return Optional.of(new Endpoint(info, operation, expression, commits, isRepeatable(handler, operation, commits),
				streaming));
	}

	/**
	 * The completer's requests have no waiting client, and are therefore never answered
	 * asynchronously.
	 */
	private boolean isRepeatable(HandlerMethod handler, IdempotentOperation operation, EffectCommits commits) {
		return commits == EffectCommits.IN_PHASES
				|| (operation.mode() == Mode.LEASED && this.onExpiry == LeaseExpiry.COMPLETE
						&& !ReturnTypes.isAsynchronous(handler) && !ReturnTypes.isStreaming(handler));
	}

	/**
	 * A LEASED handler that is {@code @Transactional} itself commits once, answer
	 * included. One that answers asynchronously does its work elsewhere.
	 */
	private static EffectCommits commits(HandlerMethod handler, IdempotentOperation operation) {
		if (PhaseRules.isPhased(handler)) {
			return EffectCommits.IN_PHASES;
		}
		boolean once = operation.mode() == Mode.TRANSACTIONAL
				|| (!ReturnTypes.isAsynchronous(handler) && PhaseRules.isTransactional(handler));
		return once ? EffectCommits.ONCE : EffectCommits.FREELY;
	}

	/**
	 * A controller without the aspect would run unprotected. Those that are beans are
	 * checked when they are created.
	 */
	private static void requireAdvised(HandlerMethod handler, String where) {
		int modifiers = handler.getMethod().getModifiers();
		if ((modifiers & (Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC)) != 0) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where
							+ " has no effect: a proxy cannot intercept a method that is final, private or static.",
					"Remove the modifier.");
		}
		Object bean = handler.getBean();
		if (!(bean instanceof String) && !IdempotentAdvisor.advises(bean)) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " has no effect: the handler of "
					+ handler.getBeanType().getName() + " is not proxied.", "Let Spring create the handler as a bean.");
		}
	}

}
