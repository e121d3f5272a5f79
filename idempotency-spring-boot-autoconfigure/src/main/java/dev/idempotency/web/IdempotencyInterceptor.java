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
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

import dev.idempotency.Account;
import dev.idempotency.AccountRequiredException;
import dev.idempotency.AccountResolver;
import dev.idempotency.AnonymousAccess;
import dev.idempotency.logging.LogEvent;

/**
 * Decides whether a request is protected, and refuses it where its key or its caller is
 * missing. The last interceptor before the handler.
 */
public final class IdempotencyInterceptor implements HandlerInterceptor {

	private static final Log logger = LogFactory.getLog(IdempotencyInterceptor.class);

	private final EndpointRegistry registry;

	private final KeyReader keyReader;

	private final AccountResolver accountResolver;

	private final AnonymousAccess anonymous;

	private final Duration formWait;

	private final AtomicBoolean anonymousTold = new AtomicBoolean();

	public IdempotencyInterceptor(EndpointRegistry registry, KeyReader keyReader, AccountResolver accountResolver,
			AnonymousAccess anonymous, Duration formWait) {
		this.registry = registry;
		this.keyReader = keyReader;
		this.accountResolver = accountResolver;
		this.anonymous = anonymous;
		this.formWait = formWait;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		if (!(handler instanceof HandlerMethod handlerMethod) || EndpointRegistry.isSafe(request.getMethod())
				|| !isFirstDispatch(request)) {
			return true;
		}
		Endpoint endpoint = this.registry.find(handlerMethod);
		if (endpoint == null) {
			return true;
		}
		RecoveredRequest recovered = RecoveredRequest.boundTo(request);
		if (recovered != null) {
			recovered.requireOperation(endpoint);
			IdempotentExchange
				.recovered(handlerMethod, endpoint, recovered.requireAccount(this.accountResolver.resolve()),
						recovered.recovery())
				.bindTo(request);
			return true;
		}
		String key = null;
		if (endpoint.keyExpression() == null) {
			key = this.keyReader.read(request);
			if (key == null && endpoint.operation().required()) {
				throw this.keyReader.missing(request);
			}
			if (key == null) {
				return true;
			}
		}
		IdempotentExchange exchange = new IdempotentExchange(handlerMethod, endpoint, account(), key);
		if (key != null && this.keyReader.isField(request)) {
			exchange.waitAtMost(this.formWait);
		}
		exchange.bindTo(request);
		return true;
	}

	private static boolean isFirstDispatch(HttpServletRequest request) {
		DispatcherType type = request.getDispatcherType();
		return type != DispatcherType.ERROR && type != DispatcherType.ASYNC
				&& IdempotentExchange.boundTo(request) == null;
	}

	private Account account() {
		@Nullable Account account = this.accountResolver.resolve();
		if (account != null) {
			return account;
		}
		if (this.anonymous == AnonymousAccess.SHARE) {
			return Account.SHARED;
		}
		// Once: anybody can send such requests, as many as they like.
		if (this.anonymousTold.compareAndSet(false, true)) {
			LogEvent.ANONYMOUS_REFUSED.log(logger,
					"An anonymous caller of an idempotent operation was refused. "
							+ "To make all anonymous callers one account, set idempotency.anonymous=share. "
							+ "This is told once.");
		}
		throw new AccountRequiredException("This operation needs a caller with an identity.");
	}

}
