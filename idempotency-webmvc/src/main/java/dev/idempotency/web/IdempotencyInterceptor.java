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

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.engine.identity.CallerAccounts;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.web.HttpCommandRunner.Recovered;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.key.KeyReader;

/**
 * An interceptor that decides whether a request is protected, and refuses a request
 * without a required key or caller. It is the last interceptor before the handler.
 */
final class IdempotencyInterceptor implements HandlerInterceptor {

	private static final Log logger = LogFactory.getLog(IdempotencyInterceptor.class);

	private final EndpointRegistry registry;

	private final KeyReader keyReader;

	private final CallerAccounts accounts;

	private final Duration formWait;

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	IdempotencyInterceptor(EndpointRegistry registry, KeyReader keyReader, CallerAccounts accounts, Duration formWait) {
		this.registry = registry;
		this.keyReader = keyReader;
		this.accounts = accounts;
		this.formWait = formWait;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		if (!(handler instanceof HandlerMethod handlerMethod) || EndpointRegistry.isSafe(request.getMethod())
				|| !isFirstDispatch(request)) {
			return true;
		}
		Exchange.bindNone(request);
		Endpoint endpoint = this.registry.find(handlerMethod);
		if (endpoint == null) {
			return true;
		}
		if (request.getAttribute(HttpCommandRunner.RECOVERED) instanceof Recovered recovered) {
			recovered.requireOperation(endpoint);
			Exchange.ofCompleter(endpoint, recovered.requireAccount(this.accounts.find()), recovered.recovery())
				.bindTo(request);
			return true;
		}
		String key = null;
		if (endpoint.keyExpression() == null) {
			key = this.keyReader.read(request);
			if (key == null && endpoint.operation().required()) {
				if (this.keyReader.isField(request)) {
					reportForm(endpoint);
				}
				throw this.keyReader.missing(request);
			}
			if (key == null) {
				return true;
			}
		}
		Account account = this.accounts.requireCaller(key);
		Sender sender = endpoint.repeatable() ? this.accounts.describe(account) : null;
		Duration maxWait = (key != null && this.keyReader.isField(request)) ? this.formWait : null;
		Exchange.ofSender(endpoint, account, sender, key, maxWait).bindTo(request);
		return true;
	}

	/**
	 * Reports a form without a key: whoever sees its error page cannot mend it, and its
	 * developer may not know that the form needs a field.
	 */
	private void reportForm(Endpoint endpoint) {
		String name = endpoint.operation().name();
		if (this.reported.add(name)) {
			LogEvent.FORM_WITHOUT_KEY
				.log(logger, "A form was sent without a key, and was refused. Thymeleaf adds the key to a form with "
						+ "th:action=\"@{/…}\", not with action alone, and JSP to <form:form>; in any other form, write "
						+ "a hidden field " + KeyReader.FORM_FIELD + " with a new random value [" + name + "]");
		}
	}

	/**
	 * Returns the handler that a request has reached without an interceptor of this
	 * class, by a handler mapping without the interceptors of Spring MVC.
	 * @return the handler, {@code null} if the request was intercepted or changes nothing
	 */
	static @Nullable HandlerMethod bypassed(HttpServletRequest request) {
		boolean expected = !EndpointRegistry.isSafe(request.getMethod()) && isForHandler(request);
		return (expected && !Exchange.isDecided(request)
				&& request
					.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler)
							? handler : null;
	}

	/**
	 * Returns whether a request comes to a handler for the first time, or once more after
	 * it was over: a filter may call the chain again when a request has failed.
	 */
	private static boolean isFirstDispatch(HttpServletRequest request) {
		Exchange before = Exchange.boundTo(request);
		boolean repeated = before != null && before.isOver() && request.getDispatcherType() == DispatcherType.REQUEST;
		return (before == null || repeated) && isForHandler(request);
	}

	/**
	 * Returns whether a dispatch leads to a handler. The dispatch of an error page does
	 * not, nor does the dispatch of a result for which Spring MVC has waited. Any other
	 * asynchronous dispatch does: a filter or another handler has waited before it.
	 */
	private static boolean isForHandler(HttpServletRequest request) {
		return switch (request.getDispatcherType()) {
			case REQUEST, FORWARD, INCLUDE -> true;
			case ASYNC -> !WebAsyncUtils.getAsyncManager(request).hasConcurrentResult();
			case ERROR -> false;
		};
	}

}
