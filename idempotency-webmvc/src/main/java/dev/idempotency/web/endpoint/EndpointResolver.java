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
package dev.idempotency.web.endpoint;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.aop.AnnotatedType;
import dev.idempotency.aop.IdempotentAdvisor;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.engine.OperationFactory;
import dev.idempotency.engine.OperationFactory.AnnotatedMethod;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.phase.Phases;
import dev.idempotency.web.endpoint.EndpointRegistry.Completer;

/**
 * A resolver that validates annotated controller methods.
 */
final class EndpointResolver {

	private static final Log logger = LogFactory.getLog(EndpointResolver.class);

	/**
	 * The propagations of a handler that runs in the transaction around it or in its own.
	 */
	private static final Set<Integer> JOINING = Set.of(TransactionDefinition.PROPAGATION_REQUIRED,
			TransactionDefinition.PROPAGATION_NESTED, TransactionDefinition.PROPAGATION_MANDATORY);

	/**
	 * The propagations of a handler that does not run in the transaction around it.
	 */
	private static final Set<Integer> SEPARATE = Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
			TransactionDefinition.PROPAGATION_NOT_SUPPORTED, TransactionDefinition.PROPAGATION_NEVER);

	private final OperationFactory operations;

	private final LeaseExpiry onExpiry;

	private final Completer completer;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final OperationNames names = new OperationNames();

	/**
	 * Creates a resolver.
	 * @param operations creates operations from annotations
	 * @param onExpiry the treatment of a request whose owner let its lease expire
	 * @param completer the completer of the application
	 */
	EndpointResolver(OperationFactory operations, LeaseExpiry onExpiry, Completer completer) {
		this.operations = operations;
		this.onExpiry = onExpiry;
		this.completer = completer;
	}

	/**
	 * Registers a mapping, which may change the names of others.
	 */
	void register(RequestMappingInfo info, HandlerMethod handler) {
		this.names.add(info, handler);
	}

	/**
	 * Resolves a handler.
	 * @return the endpoint, empty if the handler is not annotated or changes nothing
	 * @throws InvalidIdempotentException if it cannot be protected
	 */
	Optional<Endpoint> resolve(RequestMappingInfo info, HandlerMethod handler) {
		Idempotent annotation = AnnotatedType.annotation(handler.getMethod(), handler.getBeanType());
		if (annotation == null || EndpointRegistry.isSafe(info)) {
			return Optional.empty();
		}
		String where = handler.getShortLogMessage();
		requireAdvised(handler, where);
		IdempotentOperation operation = this.operations
			.create(AnnotatedMethod.of(handler.getMethod(), handler.getBeanType())
				.withName(this.names.name(info, handler), where), annotation);
		if (isPhased(handler)) {
			requirePhases(handler, annotation, operation, where);
			operation = this.operations.replace(operation.withMode(Mode.LEASED));
		}
		ReturnTypes.requireReplayable(handler, operation, where);
		KeyExpression expression = (operation.key() != null) ? new KeyExpression(operation.key(), where) : null;
		if (expression != null) {
			expression.requireKnownVariables(handler.getMethod(), Set.of());
		}
		EffectCommits commits = commits(handler, operation, where);
		return Optional.of(new Endpoint(info, handler.getMethod(), where, operation, expression, commits,
				isRepeatable(handler, operation, commits), ReturnTypes.isStreaming(handler)));
	}

	/**
	 * Returns whether the completer repeats the request. Its requests have no waiting
	 * client, and are therefore never answered asynchronously.
	 */
	private boolean isRepeatable(HandlerMethod handler, IdempotentOperation operation, EffectCommits commits) {
		boolean completed = commits == EffectCommits.IN_PHASES
				|| (operation.mode() == Mode.LEASED && this.onExpiry == LeaseExpiry.COMPLETE
						&& !ReturnTypes.isAsynchronous(handler) && !ReturnTypes.isStreaming(handler));
		if (completed && this.completer == Completer.WITHOUT_ACCOUNTS && this.warned.compareAndSet(false, true)) {
			LogEvent.COMPLETER_OFF.log(logger,
					"The completer is off: unfinished requests such as " + operation.name()
							+ " wait for a retry of their sender, because nothing can check the senders' accounts. "
							+ "Declare an AccountRunner bean, or one UserDetailsService with Spring Security; or set "
							+ "idempotency.completer.authority=stored where senders bring tokens, or "
							+ "idempotency.completer.enabled=false.");
		}
		return completed && this.completer == Completer.ON;
	}

	/**
	 * Determines the commits of a handler. A LEASED handler that is
	 * {@code @Transactional} itself commits once, answer included. A handler that answers
	 * asynchronously works outside its transaction.
	 */
	private EffectCommits commits(HandlerMethod handler, IdempotentOperation operation, String where) {
		if (isPhased(handler)) {
			return EffectCommits.IN_PHASES;
		}
		TransactionAttribute transaction = transaction(handler);
		if (operation.mode() != Mode.TRANSACTIONAL && (ReturnTypes.isAsynchronous(handler) || transaction == null
				|| !JOINING.contains(transaction.getPropagationBehavior()))) {
			return EffectCommits.FREELY;
		}
		if (transaction != null) {
			requireJoined(transaction, where);
		}
		return EffectCommits.ONCE;
	}

	private void requireJoined(TransactionAttribute transaction, String where) {
		this.operations.requireBusinessManager(transaction, where);
		require(!SEPARATE.contains(transaction.getPropagationBehavior()), where,
				"runs outside the transaction that holds its response.",
				"Give @Transactional the propagation REQUIRED, or add mode = Mode.LEASED.");
		require(transaction.getIsolationLevel() == TransactionDefinition.ISOLATION_DEFAULT, where,
				"has an isolation level, and joins the transaction of its response, which has the isolation level of the pool.",
				"Remove the isolation level, and set it for the pool; or add mode = Mode.LEASED, with @Transactional "
						+ "on the service.");
		require(transaction.getTimeout() == TransactionDefinition.TIMEOUT_DEFAULT, where,
				"has a timeout, and joins the transaction of its response, which has the timeout of all transactions.",
				"Remove the timeout, and set spring.transaction.default-timeout; or add mode = Mode.LEASED, with "
						+ "@Transactional on the service.");
		require(!transaction.isReadOnly(), where, "is read-only, and joins the transaction that stores its response.",
				"Remove readOnly = true, or write @Transactional on the method if its class is read-only; or add "
						+ "mode = Mode.LEASED, with @Transactional(readOnly = true) on the service.");
	}

	/**
	 * Refuses a controller without the aspect, which would run unprotected. Beans are
	 * checked when they are created.
	 */
	private static void requireAdvised(HandlerMethod handler, String where) {
		int modifiers = handler.getMethod().getModifiers();
		require((modifiers & (Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC)) == 0, where,
				"has no effect: a proxy cannot intercept a method that is final, private or static.",
				"Remove the modifier.");
		Object bean = handler.getBean();
		require(bean instanceof String || IdempotentAdvisor.advises(bean), where,
				"has no effect: the handler of " + handler.getBeanType().getName() + " is not proxied.",
				"Let Spring create the handler as a bean.");
	}

	private static boolean isPhased(HandlerMethod handler) {
		return Arrays.asList(handler.getMethod().getParameterTypes()).contains(Phases.class);
	}

	private @Nullable TransactionAttribute transaction(HandlerMethod handler) {
		return this.operations.transaction(handler.getMethod(), handler.getBeanType());
	}

	/**
	 * Enforces the rules for handlers that run in phases.
	 */
	private void requirePhases(HandlerMethod handler, Idempotent annotation, IdempotentOperation operation,
			String where) {
		require(annotation.mode() != Mode.TRANSACTIONAL, where, "has the mode TRANSACTIONAL and a parameter Phases.",
				"Remove one of them: phases have separate transactions.");
		require(transaction(handler) == null, where, "is @Transactional and has a parameter Phases.",
				"Remove @Transactional: phases have separate transactions.");
		require(operation.required(), where, "has a parameter Phases, and its key is optional.",
				"Add required = Required.TRUE: without a key there is nothing to resume.");
		require(!ReturnTypes.isAsynchronous(handler) && !ReturnTypes.isStreaming(handler), where,
				"has a parameter Phases and answers on another thread.",
				"Return the value itself: phases run on the thread of the request.");
	}

	static void require(boolean condition, String where, String problem, String action) {
		if (!condition) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " " + problem, action);
		}
	}

}
