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

import java.io.IOException;
import java.util.List;
import java.util.Map;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.Outcome;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.engine.ThreadGuard;
import dev.idempotency.engine.ThreadGuard.Watch;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.HeaderField;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.CapturingResponse;
import dev.idempotency.web.endpoint.EndpointRegistry;
import dev.idempotency.web.exchange.IdempotentExchange;
import dev.idempotency.web.exchange.PendingView;
import dev.idempotency.web.exchange.ReplaySignal;
import dev.idempotency.web.problem.ErrorPage;
import dev.idempotency.web.request.BufferedRequest;
import dev.idempotency.web.view.BindingErrors;
import dev.idempotency.web.view.ProtectedModelAndView;
import dev.idempotency.web.view.ViewRenderer;

/**
 * Runs protected handlers through Spring MVC's own adapter, with a body that can be read
 * again and a response that is kept back until what it tells is durable.
 */
public final class IdempotencyHandlerAdapter implements HandlerAdapter, Ordered {

	private static final Log logger = LogFactory.getLog(IdempotencyHandlerAdapter.class);

	private final EndpointRegistry registry;

	private final RequestMappingHandlerAdapter delegate;

	private final RequestReader requestReader;

	private final AnswerRecorder answers;

	private final OutcomePolicy outcomePolicy;

	private final ViewRenderer views;

	private final ThreadGuard guard;

	private final ErrorPage errorPage;

	IdempotencyHandlerAdapter(EndpointRegistry registry, RequestMappingHandlerAdapter delegate,
			RequestReader requestReader, AnswerRecorder answers, OutcomePolicy outcomePolicy, ViewRenderer views,
			ThreadGuard guard, ErrorPage errorPage) {
		this.registry = registry;
		this.delegate = delegate;
		this.requestReader = requestReader;
		this.answers = answers;
		this.outcomePolicy = outcomePolicy;
		this.views = views;
		this.guard = guard;
		this.errorPage = errorPage;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public boolean supports(Object handler) {
		return handler instanceof HandlerMethod handlerMethod && this.registry.find(handlerMethod) != null;
	}

	@Override
	public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		IdempotentExchange exchange = IdempotentExchange.boundTo(request);
		if (exchange != null && exchange.enter()) {
			return handle(exchange, this.requestReader.read(request, exchange), response, handler);
		}
		if (exchange != null && request.getDispatcherType() == DispatcherType.ASYNC && exchange.resume()) {
			return handle(exchange, request, response, handler);
		}
		if (exchange == null) {
			requireIntercepted(request, (HandlerMethod) handler);
		}
		return this.delegate.handle(request, response, handler);
	}

	private static void requireIntercepted(HttpServletRequest request, HandlerMethod handler) {
		if (request.getDispatcherType() == DispatcherType.REQUEST && !EndpointRegistry.isSafe(request.getMethod())
				&& !IdempotencyInterceptor.hasSeen(request)) {
			throw RunTimeRules.notIntercepted(handler);
		}
	}

	private @Nullable ModelAndView handle(IdempotentExchange exchange, HttpServletRequest request,
			HttpServletResponse response, Object handler) throws Exception {
		Watch watch = this.guard.watch(exchange.handlerName());
		try {
			if (exchange.endpoint().streaming()) {
				stream(exchange, request, response, handler, watch);
				return null;
			}
			return handle(exchange, request, response, handler, watch);
		}
		finally {
			if (exchange.isAwaitingView()) {
				watch.pause();
			}
			else {
				watch.end();
			}
		}
	}

	private @Nullable ModelAndView handle(IdempotentExchange exchange, HttpServletRequest request,
			HttpServletResponse response, Object handler, Watch watch) throws Exception {
		while (true) {
			try {
				return new CapturedExecution(exchange, new AsyncSupport(request, response, exchange), response, watch)
					.handle(handler);
			}
			catch (FinishConflictException conflict) {
				logger.debug("The handler is called once more", conflict);
				BufferedRequest.rewind(request);
			}
		}
	}

	/**
	 * Fail if a transaction was begun and not ended: what was done in it is not part of
	 * the answer.
	 */
	private static void requireNothingLeftOpen(IdempotentExchange exchange, Watch watch) {
		if (watch.endLeaked(exchange.transaction())) {
			throw exchange.refuse(RunTimeRules.leftTransactionOpen(exchange));
		}
	}

	/**
	 * Leave the thread to others. A refusal has to wait for the dispatch with the result:
	 * the container has begun to wait for that.
	 */
	private static void startAsync(IdempotentExchange exchange, Watch watch, List<HeaderField> headers) {
		exchange.startAsync(headers);
		if (watch.endLeaked(null)) {
			exchange.refuse(RunTimeRules.leftTransactionOpen(exchange));
		}
	}

	/**
	 * A stream goes to the client while it is made: that it was executed is stored when
	 * it has ended.
	 */
	private void stream(IdempotentExchange exchange, HttpServletRequest request, HttpServletResponse response,
			Object handler, Watch watch) throws Exception {
		AsyncSupport asyncRequest = new AsyncSupport(request, response, exchange);
		try (ThreadBinding bound = ThreadBinding.bind(asyncRequest, response)) {
			asyncRequest.followThreads(this.guard);
			this.delegate.handle(asyncRequest, response, handler);
			if (asyncRequest.isAsyncHandlingStarted()) {
				startAsync(exchange, watch, List.of());
			}
			else {
				exchange.requireNotRefused();
				asyncRequest.requireNotStarted();
				requireNothingLeftOpen(exchange, watch);
				exchange.finish(new Answer(response.getStatus(), List.of(), null));
			}
		}
		catch (Exception | Error ex) {
			fail(exchange, ex, watch);
			throw ex;
		}
	}

	/**
	 * The innermost transaction first: each end resumes what the next one has suspended.
	 */
	private static void fail(IdempotentExchange exchange, Throwable failure, Watch watch) {
		watch.endLeaked(exchange.transaction());
		exchange.fail(failure);
	}

	/**
	 * One execution whose response is kept back: the handler, then its view if it names
	 * one, then the answer.
	 */
	private final class CapturedExecution implements PendingView {

		private final IdempotentExchange exchange;

		private final AsyncSupport request;

		private final HttpServletResponse response;

		private final CapturingResponse captured;

		private Watch watch;

		CapturedExecution(IdempotentExchange exchange, AsyncSupport request, HttpServletResponse response,
				Watch watch) {
			this.exchange = exchange;
			this.request = request;
			this.response = response;
			this.watch = watch;
			this.captured = IdempotencyHandlerAdapter.this.answers.capture(response, exchange);
		}

		/**
		 * Run the handler and send its answer.
		 * @return the view that is still to be rendered, or {@code null}
		 */
		@Nullable ModelAndView handle(Object handler) throws Exception {
			Answer other;
			try (ThreadBinding bound = ThreadBinding.bind(this.request, this.captured)) {
				this.request.followThreads(IdempotencyHandlerAdapter.this.guard);
				ModelAndView view = IdempotencyHandlerAdapter.this.delegate.handle(this.request, this.captured,
						handler);
				if (this.request.isAsyncHandlingStarted()) {
					startAsync(this.exchange, this.watch, this.captured.capturedHeaders().toFields());
					discard();
					return null;
				}
				requireSound();
				if (view != null) {
					this.exchange.awaitView(this);
					return new ProtectedModelAndView(view);
				}
				other = conclude(null);
			}
			catch (FinishConflictException conflict) {
				discard();
				throw conflict;
			}
			catch (ReplaySignal signal) {
				other = signal.answer();
			}
			catch (Exception | Error ex) {
				fail(ex);
				throw ex;
			}
			send(other);
			return null;
		}

		@Override
		public boolean render(ModelAndView view) throws Exception {
			Answer other;
			this.watch = IdempotencyHandlerAdapter.this.guard.watch(this.exchange.handlerName());
			try (ThreadBinding bound = ThreadBinding.bind(this.request, this.captured)) {
				IdempotencyHandlerAdapter.this.views.render(view, this.request, this.captured);
				requireSound();
				other = conclude(view.getModel());
			}
			catch (Exception | Error ex) {
				fail(ex);
				throw ex;
			}
			finally {
				this.watch.end();
			}
			send(other);
			return other == null && !this.captured.isError();
		}

		/**
		 * Fail if the request can no longer end as one: with its transaction alone on the
		 * thread, and nothing sent.
		 */
		private void requireSound() {
			this.exchange.requireNotRefused();
			this.request.requireNotStarted();
			requireNothingLeftOpen(this.exchange, this.watch);
			if (this.response.isCommitted() && !this.exchange.mayAnswerLater()) {
				throw this.exchange.refuse(RunTimeRules.committedEarly(this.exchange));
			}
		}

		@Override
		public void discard() {
			this.captured.close();
		}

		private void fail(Throwable failure) {
			IdempotencyHandlerAdapter.fail(this.exchange, failure, this.watch);
			discard();
		}

		/**
		 * Store the answer.
		 * @param model the model of its view, {@code null} if it has none
		 * @return another answer to send instead, or {@code null}
		 */
		private @Nullable Answer conclude(@Nullable Map<String, Object> model) throws Exception {
			AnswerRecorder recorder = IdempotencyHandlerAdapter.this.answers;
			if (this.captured.isError() && isSuccess(this.captured.getStatus())) {
				IdempotencyHandlerAdapter.this.errorPage.render(this.request, this.captured);
			}
			if (this.captured.isError()) {
				this.exchange.release();
				this.exchange.awaitErrorPage(recorder.storedHeaders(this.captured));
				return null;
			}
			int status = this.captured.getStatus();
			boolean rejected = BindingErrors.exist(model, this.request);
			boolean isFinal = !rejected
					&& IdempotencyHandlerAdapter.this.outcomePolicy.isFinal(new Outcome(status, null));
			if (!rejected
					&& (isSuccess(status) || (isFinal && status < HttpServletResponse.SC_INTERNAL_SERVER_ERROR))) {
				return this.exchange.finish(recorder.toAnswer(this.captured));
			}
			this.exchange.release();
			return this.exchange.settleFailure(isFinal ? recorder.toAnswer(this.captured) : null);
		}

		/**
		 * Whether the client is told of a success: no policy can take that back.
		 */
		private static boolean isSuccess(int status) {
			return status < HttpServletResponse.SC_BAD_REQUEST;
		}

		private void send(@Nullable Answer other) throws IOException {
			try (CapturingResponse own = this.captured) {
				if (other != null) {
					IdempotencyHandlerAdapter.this.answers.replay(other, this.request, this.response);
				}
				else {
					own.release();
				}
			}
		}

	}

}
