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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The messages about a request that violates a rule which no declaration shows. They have
 * the form of the checks at start-up.
 *
 * @param exchange the request, which is refused with the first of its violations
 */
record HandlerViolations(Exchange exchange) {

	private static final Log logger = LogFactory.getLog(HandlerViolations.class);

	/**
	 * Rejects a return value that Spring MVC is about to wait for.
	 */
	InvalidIdempotentException asynchronous() {
		return asynchronous("answers asynchronously");
	}

	InvalidIdempotentException returnsAsynchronous(Object value) {
		return asynchronous("returns " + value.getClass().getSimpleName());
	}

	private InvalidIdempotentException asynchronous(String what) {
		if (this.exchange.endpoint().commits() == EffectCommits.IN_PHASES) {
			return refuse("has a parameter Phases and " + what + ".",
					"Return the value itself: phases run on the thread of the request.");
		}
		String action = (this.exchange.endpoint().operation().mode() == Mode.TRANSACTIONAL)
				? "Return the value itself, or add mode = Mode.LEASED."
				: "Return the value itself, declare what is returned, or remove @Transactional.";
		return refuse(what + ", whose work runs outside the handler's transaction.",
				action + " The transaction was rolled back; work on other threads was not.");
	}

	InvalidIdempotentException returnsStream(Object value) {
		String type = value.getClass().getSimpleName();
		return refuse("returns " + type + ", a stream that cannot be stored and replayed.",
				"Return a value; or declare " + type
						+ " as the return type, with mode = Mode.LEASED and replay = Replay.NONE.");
	}

	InvalidIdempotentException startedByHandler() {
		return refuse("calls startAsync on the request, so that its response cannot be stored.",
				"Return the value itself; or return a Callable, a CompletableFuture or a DeferredResult, "
						+ "with mode = Mode.LEASED.");
	}

	InvalidIdempotentException sendsFile() {
		return refuse("lets Tomcat send a file as the body, so that its response cannot be stored.",
				"Write the file to the response, or return a Resource; do not set the request attributes of sendfile.");
	}

	InvalidIdempotentException insideTransaction() {
		return refuse("was called while a transaction was open, which would commit without its response.",
				"Remove the transaction from filters, interceptors and advice in front of the handler, "
						+ "and the order from @EnableTransactionManagement. In a test, remove @Transactional from the "
						+ "test. The open transaction is rolled back.");
	}

	InvalidIdempotentException onAnotherThread() {
		return refuse("was called on another thread than the thread of its request.",
				"Remove the advice that changes the thread, or apply it to the services that the handler calls.");
	}

	InvalidIdempotentException byAnotherAdapter() {
		return refuse(
				"was called by a handler adapter that comes before the library's and does not store the response.",
				"Give your HandlerAdapter a lower precedence than Ordered.HIGHEST_PRECEDENCE; to configure "
						+ "Spring MVC's, use a WebMvcConfigurer or WebMvcRegistrations.");
	}

	InvalidIdempotentException committedEarly() {
		return refuse("has a response that was sent to the client before the transaction was committed.",
				"Write to the response that is passed to the handler, and do not flush the response in filters before it.");
	}

	InvalidIdempotentException leftTransactionOpen() {
		return refuse("has begun a transaction and has not ended it.",
				"Use a TransactionTemplate or @Transactional, which end their transactions. "
						+ "The transaction was rolled back.");
	}

	/**
	 * Refuses a request that has come to its handler without the interceptor.
	 * @param context the context of the dispatcher, {@code null} if unknown
	 */
	static InvalidIdempotentException notIntercepted(HandlerMethod handler, @Nullable ApplicationContext context) {
		String subject = "@Idempotent on " + handler.getShortLogMessage() + " was reached by a ";
		boolean ofLibrary = context != null
				&& BeanFactoryUtils.beanNamesForTypeIncludingAncestors(context, ClaimAdvice.class).length > 0;
		InvalidIdempotentException reason = ofLibrary
				? new InvalidIdempotentException(
						subject + "handler mapping that has no interceptors, and would run unprotected.",
						"Set Spring MVC's interceptors on that mapping, or register the handler with the "
								+ "requestMappingHandlerMapping of Spring MVC.")
				: new InvalidIdempotentException(
						subject + "DispatcherServlet whose context lacks the library, such as the context of "
								+ "MockMvc's standaloneSetup, and would run unprotected.",
						"In a test, write MockMvcBuilders.webAppContextSetup(context) instead of "
								+ "standaloneSetup(controller), or use @AutoConfigureMockMvc; or send no key, where it is "
								+ "optional.");
		LogEvent.HANDLER_REFUSED.log(logger, String.valueOf(reason.getMessage()));
		return reason;
	}

	private InvalidIdempotentException refuse(String problem, String action) {
		return this.exchange.refuse(problem, action);
	}

}
