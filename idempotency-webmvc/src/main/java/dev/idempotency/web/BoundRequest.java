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
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.observation.GuardedObservation.Scope;

/**
 * A request as its handler sees it in one dispatch, bound to the threads that work for
 * it: the thread of the dispatch, and the threads of a {@link Callable}.
 * <p>
 * A request can become asynchronous only here. It is refused, before the container
 * begins, if that would leave a transaction on the thread or a response that is not
 * captured. The dispatch with the result gets the response of the filter chain, since the
 * response that this dispatch captures into no longer exists by then.
 */
final class BoundRequest extends HttpServletRequestWrapper
		implements CallableProcessingInterceptor, DeferredResultProcessingInterceptor {

	private static final String SENDFILE_SUPPORT = "org.apache.tomcat.sendfile.support";

	private static final String SENDFILE_NAME = "org.apache.tomcat.sendfile.filename";

	private final HttpServletResponse response;

	private final @Nullable CapturingResponse captured;

	private final Exchange exchange;

	private final RequestTransactions transactions;

	private final WebAsyncManager asyncManager;

	private final boolean startedAround;

	/**
	 * Set when Spring MVC is about to wait for a result.
	 */
	private boolean announced;

	private Scope callableWork = Scope.NONE;

	private @Nullable LeakDetector callableLeaks;

	/**
	 * Creates the request of one dispatch.
	 * @param request the request
	 * @param response the response of the filter chain
	 * @param captured the response of the handler, {@code null} if it is not captured
	 * @param exchange the exchange
	 * @param transactions watches the transactions of other threads
	 */
	BoundRequest(HttpServletRequest request, HttpServletResponse response, @Nullable CapturingResponse captured,
			Exchange exchange, RequestTransactions transactions) {
		super(request);
		this.response = response;
		this.captured = captured;
		this.exchange = exchange;
		this.transactions = transactions;
		this.asyncManager = WebAsyncUtils.getAsyncManager(request);
		this.startedAround = request.isAsyncStarted();
	}

	/**
	 * Returns whether threads inherit what Spring MVC has bound to the current thread,
	 * which only a thread can tell: the setting of the dispatcher servlet cannot be read.
	 */
	static boolean isInherited() {
		CompletableFuture<Boolean> inherited = new CompletableFuture<>();
		new Thread(() -> inherited.complete(RequestContextHolder.getRequestAttributes() != null),
				"idempotency-inheritance")
			.start();
		return inherited.join();
	}

	/**
	 * Binds the request and the handler's response to the current thread: injected ones
	 * have to be the same as those that the handler takes as arguments. Threads that run
	 * a {@link Callable} work for the exchange, too, and it is completed with the
	 * request, even if no dispatch has returned to the handler.
	 * @param inherited whether threads that the handler makes inherit the binding
	 * @return the binding, to be closed by the same thread
	 */
	Binding bind(boolean inherited) {
		Binding binding = new Binding(this, (this.captured != null) ? this.captured : this.response,
				RequestContextHolder.getRequestAttributes(), inherited);
		RequestContextHolder.setRequestAttributes(binding, inherited);
		this.asyncManager.registerCallableInterceptor(Exchange.class, this);
		this.asyncManager.registerDeferredResultInterceptor(Exchange.class, this);
		return binding;
	}

	boolean isAsyncHandlingStarted() {
		return this.asyncManager.isConcurrentHandlingStarted();
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
		if (this.asyncManager.hasConcurrentResult()) {
			try {
				this.exchange.requireStorable(this.asyncManager.getConcurrentResult());
			}
			catch (InvalidIdempotentException refusal) {
				// Spring MVC would take it for the result of the error page's controller.
				this.asyncManager.clearConcurrentResult();
				throw refusal;
			}
		}
	}

	/**
	 * Hides that Tomcat could send a file in place of the body, except from a handler
	 * whose response is not captured: handlers that ask write the body themselves.
	 */
	@Override
	public @Nullable Object getAttribute(String name) {
		return (this.captured != null && name.equals(SENDFILE_SUPPORT)) ? null : super.getAttribute(name);
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		if (this.captured != null && name.equals(SENDFILE_NAME) && value != null) {
			throw this.exchange.violations().sendsFile();
		}
		super.setAttribute(name, value);
	}

	@Override
	public @Nullable RequestDispatcher getRequestDispatcher(String path) {
		RequestDispatcher dispatcher = super.getRequestDispatcher(path);
		return (this.captured != null) ? this.captured.including(dispatcher) : dispatcher;
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

	@Override
	public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> task) {
		this.announced = true;
	}

	@Override
	public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> result) {
		this.announced = true;
	}

	/**
	 * Begins the work of the thread that runs a callable.
	 */
	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		this.callableLeaks = this.transactions.detectLeaks(this.exchange.handlerName());
		this.callableWork = this.exchange.enterThread();
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
		this.callableWork.close();
		if (this.callableLeaks != null && this.callableLeaks.end()) {
			this.exchange.violations().leftTransactionOpen();
		}
	}

	@Override
	public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
		this.exchange.complete();
	}

	@Override
	public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> result) {
		this.exchange.complete();
	}

	/**
	 * The binding of the request and a response to a thread.
	 */
	static final class Binding extends ServletRequestAttributes implements AutoCloseable {

		private final @Nullable RequestAttributes around;

		private final boolean inherited;

		private Binding(HttpServletRequest request, HttpServletResponse response, @Nullable RequestAttributes around,
				boolean inherited) {
			super(request, response);
			this.around = around;
			this.inherited = inherited;
		}

		/**
		 * Registers the callback with the surrounding attributes: beans of the request's
		 * scope live as long as the request.
		 */
		@Override
		public void registerDestructionCallback(String name, Runnable callback, int scope) {
			if (this.around != null) {
				this.around.registerDestructionCallback(name, callback, scope);
			}
			else {
				super.registerDestructionCallback(name, callback, scope);
			}
		}

		@Override
		public void close() {
			RequestContextHolder.setRequestAttributes(this.around, this.inherited);
			requestCompleted();
		}

	}

}
