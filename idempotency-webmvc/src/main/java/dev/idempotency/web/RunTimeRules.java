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
package dev.idempotency.web;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.execution.Call.EffectCommits;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.web.policy.Endpoint;
import dev.idempotency.web.policy.ReturnTypes;

/**
 * The rules that cannot be checked by a declaration, so that only a request shows whether
 * its handler keeps them. Violations have the messages of the checks at start-up.
 */
final class RunTimeRules {

	private RunTimeRules() {
	}

	/**
	 * Checks the return value of a handler, before Spring MVC begins to wait for it or
	 * subscribes to it.
	 */
	static void requireStorable(IdempotentExchange exchange, @Nullable Object result) {
		Object value = (result instanceof HttpEntity<?> entity) ? entity.getBody() : result;
		if (value == null || exchange.delivery().endpoint().streaming()) {
			return;
		}
		switch (ReturnTypes.kindOf(value)) {
			case VALUE -> {
			}
			case ASYNCHRONOUS -> {
				if (!exchange.mayAnswerLater()) {
					throw exchange.refuse(asynchronous(exchange, "returns " + name(value)));
				}
			}
			case STREAMING -> throw exchange.refuse(exchange.mayAnswerLater() ? streaming(exchange, value)
					: asynchronous(exchange, "returns " + name(value)));
		}
	}

	/**
	 * Rejects a return value that Spring MVC is about to wait for.
	 */
	static InvalidIdempotentException asynchronous(IdempotentExchange exchange) {
		return asynchronous(exchange, "answers asynchronously");
	}

	private static InvalidIdempotentException asynchronous(IdempotentExchange exchange, String what) {
		Endpoint endpoint = exchange.delivery().endpoint();
		if (endpoint.commits() == EffectCommits.IN_PHASES) {
			return of(exchange, "has a parameter Phases and " + what + ".",
					"Return the value itself: phases run on the thread of the request.");
		}
		String action = (endpoint.operation().mode() == Mode.TRANSACTIONAL)
				? "Return the value itself, or add mode = Mode.LEASED."
				: "Return the value itself, declare what is returned, or remove @Transactional.";
		return of(exchange, what + ", whose work runs outside the handler's transaction.",
				action + " The transaction was rolled back; work on other threads was not.");
	}

	private static InvalidIdempotentException streaming(IdempotentExchange exchange, Object value) {
		return of(exchange, "returns " + name(value) + ", a stream that cannot be stored and replayed.",
				"Return a value; or declare " + name(value)
						+ " as the return type, with mode = Mode.LEASED and replay = Replay.NONE.");
	}

	static InvalidIdempotentException startedByHandler(IdempotentExchange exchange) {
		return of(exchange, "calls startAsync on the request, so that its answer cannot be stored.",
				"Return the value itself; or return a Callable, a CompletableFuture or a DeferredResult, "
						+ "with mode = Mode.LEASED.");
	}

	static InvalidIdempotentException insideTransaction(IdempotentExchange exchange) {
		return of(exchange, "was called while a transaction was open, which would commit without its answer.",
				"Remove the transaction from filters, interceptors and advice in front of the handler, "
						+ "and the order from @EnableTransactionManagement. In a test, remove @Transactional from the "
						+ "test. The open transaction is rolled back.");
	}

	static InvalidIdempotentException onAnotherThread(IdempotentExchange exchange) {
		return of(exchange, "was called on a thread other than that of its request.",
				"Remove the advice that changes the thread, or apply it to the services that the handler calls.");
	}

	static InvalidIdempotentException committedEarly(IdempotentExchange exchange) {
		return of(exchange, "has a response that was sent to the client before the transaction was committed.",
				"Write to the response that is passed to the handler, and do not flush the response in filters before it.");
	}

	static InvalidIdempotentException leftTransactionOpen(IdempotentExchange exchange) {
		return of(exchange, "has begun a transaction and has not ended it.",
				"Use a TransactionTemplate or @Transactional, which end their transactions. "
						+ "The transaction was rolled back.");
	}

	static InvalidIdempotentException notIntercepted(HandlerMethod handler) {
		return new InvalidIdempotentException(
				"@Idempotent on " + handler.getShortLogMessage()
						+ " was reached by a handler mapping that has no interceptors, and would run unprotected.",
				"Set Spring MVC's interceptors on that mapping, or register the handler with the "
						+ "requestMappingHandlerMapping of Spring MVC.");
	}

	private static InvalidIdempotentException of(IdempotentExchange exchange, String problem, String action) {
		Endpoint endpoint = exchange.delivery().endpoint();
		return new InvalidIdempotentException("@Idempotent on " + exchange.delivery().handlerName() + " (mode "
				+ endpoint.operation().mode() + ") " + problem, action);
	}

	private static String name(Object value) {
		return value.getClass().getSimpleName();
	}

}
