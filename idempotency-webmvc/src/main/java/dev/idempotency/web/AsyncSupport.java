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
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.web.capture.IncludingRequest;

/**
 * A request whose handler may answer asynchronously. The dispatch with the result gets
 * the response of the filter chain, since the response that this dispatch captures into
 * no longer exists by then.
 * <p>
 * A request can become asynchronous only here. It is refused, before the container
 * begins, if that would leave a transaction on the thread or an answer that is not
 * captured.
 */
final class AsyncSupport extends IncludingRequest {

	private static final String SENDFILE_SUPPORT = "org.apache.tomcat.sendfile.support";

	private static final String SENDFILE_NAME = "org.apache.tomcat.sendfile.filename";

	private final HttpServletResponse response;

	private final Exchange exchange;

	private final boolean startedAround;

	/**
	 * Set when Spring MVC is about to wait for a result.
	 */
	private boolean announced;

	AsyncSupport(HttpServletRequest request, HttpServletResponse response, Exchange exchange) {
		super(request);
		this.response = response;
		this.exchange = exchange;
		this.startedAround = request.isAsyncStarted();
	}

	/**
	 * Hides that Tomcat could send a file in place of the body, except from a handler
	 * whose response is not captured: handlers that ask write the body themselves.
	 */
	@Override
	public @Nullable Object getAttribute(String name) {
		return (name.equals(SENDFILE_SUPPORT) && !isStreaming()) ? null : super.getAttribute(name);
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		if (name.equals(SENDFILE_NAME) && value != null && !isStreaming()) {
			throw this.exchange.violations().sendsFile();
		}
		super.setAttribute(name, value);
	}

	private boolean isStreaming() {
		return this.exchange.endpoint().streaming();
	}

	boolean isAsyncHandlingStarted() {
		return WebAsyncUtils.getAsyncManager(this).isConcurrentHandlingStarted();
	}

	/**
	 * Fails if the handler has started asynchronous processing on the wrapped request
	 * rather than on this one. The container ends it when it sees the exception.
	 */
	void requireNotStarted() {
		if (!this.startedAround && isAsyncStarted()) {
			throw this.exchange.violations().startedByHandler();
		}
	}

	/**
	 * Fails if the result of another thread is a stream: it would be written by one more
	 * dispatch, into a response that is no longer captured.
	 */
	void requireStorableResult() {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(this);
		if (manager.hasConcurrentResult()) {
			try {
				this.exchange.violations().requireStorable(manager.getConcurrentResult(), true);
			}
			catch (InvalidIdempotentException refusal) {
				// Spring MVC would take it for the result of the error page's controller.
				manager.clearConcurrentResult();
				throw refusal;
			}
		}
	}

	/**
	 * Lets the threads that run a {@link Callable} work for the exchange, and completes
	 * the exchange with the request, even if no dispatch has returned to the handler.
	 * @param transactions watches the transactions of those threads
	 */
	void followThreads(RequestTransactions transactions) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(this);
		manager.registerCallableInterceptor(Exchange.class, new CallableThread(transactions));
		manager.registerDeferredResultInterceptor(Exchange.class, new DeferredResultProcessingInterceptor() {

			@Override
			public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> result) {
				AsyncSupport.this.announced = true;
			}

			@Override
			public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> result) {
				AsyncSupport.this.exchange.complete();
			}

		});
	}

	@Override
	public AsyncContext startAsync() {
		throw this.exchange.violations().startedByHandler();
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse captured) {
		if (!this.exchange.mayAnswerLater()) {
			throw (this.announced ? this.exchange.violations().asynchronous()
					: this.exchange.violations().startedByHandler());
		}
		if (!this.announced) {
			return startAsync();
		}
		return super.startAsync(request, this.response);
	}

	/**
	 * The thread that runs a callable, until the callable returns.
	 */
	private final class CallableThread implements CallableProcessingInterceptor {

		private final RequestTransactions transactions;

		private Scope work = Scope.NONE;

		private @Nullable LeakDetector leaks;

		CallableThread(RequestTransactions transactions) {
			this.transactions = transactions;
		}

		@Override
		public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> task) {
			AsyncSupport.this.announced = true;
		}

		@Override
		public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
			Exchange exchange = AsyncSupport.this.exchange;
			this.leaks = this.transactions.detectLeaks(exchange.handlerName());
			this.work = exchange.enterThread();
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
			Exchange exchange = AsyncSupport.this.exchange;
			this.work.close();
			if (this.leaks != null && this.leaks.end()) {
				exchange.violations().leftTransactionOpen();
			}
		}

		@Override
		public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
			AsyncSupport.this.exchange.complete();
		}

	}

}
