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

import java.util.concurrent.Callable;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

import dev.idempotency.engine.ActiveStage;

/**
 * The request as a handler sees it that may answer asynchronously. The dispatch with the
 * result gets the response of the filter chain: the one that this dispatch captures into
 * is gone by then.
 */
final class AsyncSupport extends HttpServletRequestWrapper {

	private final HttpServletResponse response;

	AsyncSupport(HttpServletRequest request, HttpServletResponse response) {
		super(request);
		this.response = response;
	}

	boolean isAsyncHandlingStarted() {
		return WebAsyncUtils.getAsyncManager(this).isConcurrentHandlingStarted();
	}

	/**
	 * Let the threads that run a {@link Callable} for the exchange belong to it.
	 */
	void followThreadsOf(IdempotentExchange exchange) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(this);
		manager.registerCallableInterceptor(IdempotentExchange.class, new CallableProcessingInterceptor() {

			/**
			 * Opened and closed on the thread that runs the callable.
			 */
			private ActiveStage.Scope scope = ActiveStage.Scope.NONE;

			@Override
			public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
				exchange.enterThread();
				this.scope = exchange.openScope();
			}

			@Override
			public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
				this.scope.close();
				exchange.leaveThread();
			}

		});
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse captured) {
		return super.startAsync(request, this.response);
	}

}
