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
import java.util.Optional;
import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.validation.Errors;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.OutcomePolicy.Outcome;
import dev.idempotency.engine.FinishConflictException;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.EndpointRegistry;

/**
 * A handler adapter that runs protected handlers through the adapter of Spring MVC, with
 * a body that can be read again and a response that is buffered until its effects are
 * committed:
 * <ol>
 * <li>A success, and a final response below 500, is stored with the effects of the
 * handler.</li>
 * <li>Another final response is stored, and the effects are rolled back.</li>
 * <li>A response that is not final is not stored, and the effects are rolled back.</li>
 * <li>A failure by {@code sendError} is left to the error page, an exception to
 * {@link IdempotencyExceptionResolver}.</li>
 * </ol>
 * The thread of a handler may keep one transaction open, the one that stores the
 * response. When it leaves, none is open.
 */
final class IdempotencyHandlerAdapter implements HandlerAdapter, Ordered {

	private static final Log logger = LogFactory.getLog(IdempotencyHandlerAdapter.class);

	private final EndpointRegistry registry;

	private final HandlerRequest.Settings requests;

	private final RequestTransactions transactions;

	private final RequestMappingHandlerAdapter handlers;

	private final CommandDispatcher dispatcher;

	private final OutcomePolicy outcomePolicy;

	private final ResponseRecorder recorder;

	private final Supplier<Boolean> inherited = SingletonSupplier.of(BoundRequest::isInherited);

	/**
	 * Creates an adapter.
	 * @param registry the annotated endpoints
	 * @param requests the limit and the parts of requests
	 * @param transactions watches the transactions of requests
	 * @param handlers calls handlers
	 * @param dispatcher renders views and shows the application's error page
	 * @param outcomePolicy decides which outcomes are final
	 * @param recorder captures and sends responses
	 */
	IdempotencyHandlerAdapter(EndpointRegistry registry, HandlerRequest.Settings requests,
			RequestTransactions transactions, RequestMappingHandlerAdapter handlers, CommandDispatcher dispatcher,
			OutcomePolicy outcomePolicy, ResponseRecorder recorder) {
		this.registry = registry;
		this.requests = requests;
		this.transactions = transactions;
		this.handlers = handlers;
		this.dispatcher = dispatcher;
		this.outcomePolicy = outcomePolicy;
		this.recorder = recorder;
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
		Exchange exchange = Exchange.boundTo(request);
		if (exchange != null && exchange.enter()) {
			HandlerRequest read = new HandlerRequest(request, this.requests, exchange::refuse);
			exchange.prepare(read, response);
			return handle(exchange, read, response, handler, List.of());
		}
		if (exchange != null && request.getDispatcherType() == DispatcherType.ASYNC) {
			Optional<List<HeaderField>> earlier = exchange.resume();
			if (earlier.isPresent()) {
				return handle(exchange, request, response, handler, earlier.get());
			}
		}
		return this.handlers.handle(request, response, handler);
	}

	private @Nullable ModelAndView handle(Exchange exchange, HttpServletRequest request, HttpServletResponse response,
			Object handler, List<HeaderField> earlier) throws Exception {
		Endpoint endpoint = exchange.endpoint();
		LeakDetector leaks = this.transactions.detectLeaks(endpoint.handlerName());
		ModelAndView view = null;
		try {
			if (endpoint.streaming()) {
				stream(exchange, new BoundRequest(request, response, null, exchange, this.transactions), response,
						handler, leaks);
			}
			else {
				view = capture(exchange, request, response, handler, earlier, leaks);
			}
			return view;
		}
		finally {
			if (view != null) {
				leaks.pause();
			}
			else {
				leaks.end();
			}
		}
	}

	/**
	 * Runs a handler whose response goes to the client while it is written. At the end,
	 * only the fact that the handler was executed is stored.
	 */
	private void stream(Exchange exchange, BoundRequest request, HttpServletResponse response, Object handler,
			LeakDetector leaks) throws Exception {
		try (BoundRequest.Binding bound = request.bind(this.inherited.get())) {
			this.handlers.handle(request, response, handler);
			if (request.isAsyncHandlingStarted()) {
				suspend(exchange, List.of(), leaks);
			}
			else {
				requireSound(exchange, request, leaks);
				exchange.finish(new StoredResponse(response.getStatus(), List.of(), null));
			}
		}
		catch (Exception | Error ex) {
			fail(exchange, ex, leaks);
			throw ex;
		}
	}

	private @Nullable ModelAndView capture(Exchange exchange, HttpServletRequest request, HttpServletResponse response,
			Object handler, List<HeaderField> earlier, LeakDetector leaks) throws Exception {
		while (true) {
			try {
				return new CapturedRun(exchange, request, response, earlier, leaks).handle(handler);
			}
			catch (FinishConflictException conflict) {
				logger.debug("The handler is called again", conflict);
				if (request instanceof HandlerRequest own) {
					own.rewind();
				}
			}
		}
	}

	/**
	 * Fails if the response cannot be stored: the request was refused, continues on
	 * another thread, or has left a transaction open other than the one that stores it.
	 */
	private static void requireSound(Exchange exchange, BoundRequest request, LeakDetector leaks) {
		exchange.requireNoRefusal();
		exchange.requireNotRefused();
		request.requireNotStarted();
		if (leaks.endLeaked(exchange.transaction())) {
			throw exchange.violations().leftTransactionOpen();
		}
	}

	/**
	 * Releases the thread until the dispatch with the result. A refusal has to wait for
	 * that dispatch, too, since the container is already waiting for it.
	 * @param headers the headers that the handler has set until now
	 */
	private static void suspend(Exchange exchange, List<HeaderField> headers, LeakDetector leaks) {
		exchange.suspend(headers);
		if (leaks.endLeaked(null)) {
			exchange.violations().leftTransactionOpen();
		}
	}

	/**
	 * Rolls back the effects, the innermost transaction first: its end resumes the one
	 * that it has suspended.
	 */
	private static void fail(Exchange exchange, Throwable failure, LeakDetector leaks) {
		leaks.endLeaked(exchange.transaction());
		exchange.fail(failure);
	}

	/**
	 * One run of a handler whose response is buffered until its effects are committed:
	 * the handler, then its view if it names one, then the response.
	 */
	final class CapturedRun {

		private final Exchange exchange;

		private final BoundRequest request;

		private final HttpServletResponse response;

		private final CapturingResponse captured;

		private LeakDetector leaks;

		/**
		 * Set when the response is complete and has yet to be committed.
		 */
		private boolean complete;

		private CapturedRun(Exchange exchange, HttpServletRequest request, HttpServletResponse response,
				List<HeaderField> earlier, LeakDetector leaks) {
			this.exchange = exchange;
			this.response = response;
			this.captured = IdempotencyHandlerAdapter.this.recorder.capture(response, earlier);
			this.request = new BoundRequest(request, response, this.captured, exchange,
					IdempotencyHandlerAdapter.this.transactions);
			this.leaks = leaks;
		}

		/**
		 * Runs the handler and sends its response.
		 * @return the view that is still to be rendered, or {@code null}
		 * @throws FinishConflictException if the handler has to be called again
		 */
		private @Nullable ModelAndView handle(Object handler) throws Exception {
			Optional<StoredResponse> other;
			try (BoundRequest.Binding bound = this.request.bind(IdempotencyHandlerAdapter.this.inherited.get())) {
				this.request.requireStorableResult();
				ModelAndView view = IdempotencyHandlerAdapter.this.handlers.handle(this.request, this.captured,
						handler);
				if (this.request.isAsyncHandlingStarted()) {
					suspend(this.exchange, this.captured.releaseCookies(), this.leaks);
					this.captured.close();
					return null;
				}
				other = this.exchange.replay();
				if (other.isEmpty()) {
					requireSound();
					if (view != null) {
						// The interceptors may still change it.
						this.exchange.awaitView(this);
						return new ViewInterceptor.ProtectedModelAndView(view);
					}
					other = conclude(null);
				}
			}
			catch (FinishConflictException conflict) {
				this.captured.close();
				throw conflict;
			}
			catch (Exception | Error ex) {
				other = this.exchange.replay();
				if (other.isEmpty()) {
					fail(ex);
					throw ex;
				}
			}
			send(other);
			return null;
		}

		/**
		 * Renders the view, stores the response, and sends it.
		 * @return {@code false} if something else was sent in its place
		 */
		boolean render(ModelAndView view) throws Exception {
			Optional<StoredResponse> other;
			this.leaks = IdempotencyHandlerAdapter.this.transactions.detectLeaks(this.exchange.handlerName());
			try (BoundRequest.Binding bound = this.request.bind(IdempotencyHandlerAdapter.this.inherited.get())) {
				IdempotencyHandlerAdapter.this.dispatcher.render(view, this.request, this.captured);
				requireSound();
				other = conclude(view.getModel());
			}
			catch (Exception | Error ex) {
				fail(ex);
				throw ex;
			}
			finally {
				this.leaks.end();
			}
			send(other);
			return other.isEmpty() && !this.captured.isError();
		}

		/**
		 * Fails the run of a request whose view will not be rendered.
		 */
		void abandon(Throwable failure) {
			this.captured.close();
			this.exchange.fail(failure);
		}

		/**
		 * Fails if the response can no longer be stored, or if something was sent before
		 * its transaction has committed.
		 */
		private void requireSound() {
			IdempotencyHandlerAdapter.requireSound(this.exchange, this.request, this.leaks);
			if (this.response.isCommitted() && !this.exchange.mayAnswerLater()) {
				throw this.exchange.violations().committedEarly();
			}
		}

		/**
		 * Ends the run.
		 * @param model the model of the view, {@code null} if there is none
		 * @return the response to another delivery, to be sent instead
		 */
		private Optional<StoredResponse> conclude(@Nullable Map<String, Object> model)
				throws ServletException, IOException {
			this.complete = true;
			if (this.captured.isError() && isSuccess(this.captured.getStatus())) {
				renderErrorPage();
			}
			if (this.captured.isError()) {
				this.exchange.reject();
				this.exchange.awaitErrorPage(this.captured.storedHeaders());
				return Optional.empty();
			}
			int status = this.captured.getStatus();
			boolean stored = !isFormRefused(model, this.request) && (isSuccess(status)
					|| IdempotencyHandlerAdapter.this.outcomePolicy.isFinal(new Outcome(status, null)));
			if (stored && status < HttpServletResponse.SC_INTERNAL_SERVER_ERROR) {
				return this.exchange.finish(this.captured.toStored());
			}
			this.exchange.reject();
			if (stored) {
				return this.exchange.storeFailure(this.captured.toStored());
			}
			this.exchange.endUnstored(status);
			return Optional.empty();
		}

		/**
		 * Writes the application's error page into the response of a success that the
		 * handler sends with {@code sendError}: its body has to be complete before the
		 * transaction commits. Without a page the body is empty, like the container's own
		 * for a success.
		 */
		private void renderErrorPage() throws ServletException, IOException {
			CommandDispatcher dispatcher = IdempotencyHandlerAdapter.this.dispatcher;
			HttpServletRequest page = dispatcher.errorPage(this.request, this.captured.getStatus(),
					this.captured.errorMessage(), null);
			this.captured.reopen();
			if (page != null) {
				// The page is not protected, not asynchronous, and not observed as the
				// request.
				Exchange.bindNone(page);
				page.setAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, null);
				page.setAttribute(ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, null);
				dispatcher.dispatch(page, this.captured);
			}
		}

		/**
		 * Fails the run. The headers of a response that could not be committed are not
		 * headers of the failure.
		 */
		private void fail(Throwable failure) {
			if (!this.complete) {
				this.exchange.keepHeadersOfFailure(this.captured.headersOfFailure());
			}
			IdempotencyHandlerAdapter.fail(this.exchange, failure, this.leaks);
			this.captured.close();
		}

		private void send(Optional<StoredResponse> other) throws IOException {
			try (CapturingResponse own = this.captured) {
				IdempotencyHandlerAdapter.this.recorder.send(own, other, this.request, this.response);
			}
		}

		/**
		 * Returns whether the client sees a success, which no policy can revoke.
		 */
		private static boolean isSuccess(int status) {
			return status < HttpServletResponse.SC_BAD_REQUEST;
		}

		/**
		 * Returns whether a form is shown again with its errors. Such a response is not
		 * an outcome of the operation: it asks for a corrected form, which has the same
		 * key. The flash attributes are the model of the next request.
		 */
		private static boolean isFormRefused(@Nullable Map<String, ?> model, HttpServletRequest request) {
			FlashMap flash = RequestContextUtils.getOutputFlashMap(request);
			return (model != null && hasErrors(model)) || (flash != null && !flash.isEmpty() && hasErrors(flash));
		}

		private static boolean hasErrors(Map<String, ?> model) {
			return model.values().stream().anyMatch((value) -> value instanceof Errors errors && errors.hasErrors());
		}

	}

	/**
	 * An interceptor that renders the view of a protected handler, after the
	 * application's interceptors have processed it and before the transaction ends. It is
	 * the first of the interceptors, since they are called back in reverse order.
	 */
	static final class ViewInterceptor implements HandlerInterceptor {

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView view) throws Exception {
			Exchange exchange = (view != null) ? Exchange.boundTo(request) : null;
			CapturedRun pending = (exchange != null) ? exchange.takeWithoutView() : null;
			if (pending != null && view != null) {
				if (pending.render(view) && view instanceof ProtectedModelAndView written) {
					written.markWritten(response.getStatus());
				}
				else {
					view.clear();
				}
			}
		}

		/**
		 * Fails the execution if an interceptor has failed before the view was rendered.
		 */
		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			Exchange exchange = Exchange.boundTo(request);
			CapturedRun pending = (exchange != null) ? exchange.takeWithoutView() : null;
			if (exchange != null && pending != null) {
				pending.abandon((ex != null) ? ex : new IllegalStateException("An interceptor prevented the view"));
				exchange
					.endUnstored((ex != null) ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR : response.getStatus());
			}
		}

		/**
		 * The model and view of a protected handler. The view is rendered within the
		 * transaction; the dispatcher servlet, which comes after it, renders one that
		 * writes nothing. Observers of the dispatcher servlet, such as MockMvc, see the
		 * model and the name of the view as for any other handler.
		 */
		static final class ProtectedModelAndView extends ModelAndView {

			private @Nullable View written;

			ProtectedModelAndView(ModelAndView original) {
				View view = original.getView();
				if (view != null) {
					setView(view);
				}
				else {
					setViewName(original.getViewName());
				}
				addAllObjects(original.getModel());
				setStatus(original.getStatus());
			}

			/**
			 * Replaces the view, which was rendered and sent, until the dispatcher
			 * servlet has rendered the replacement.
			 * @param status the status that was sent, which the dispatcher servlet sets
			 * again
			 */
			void markWritten(int status) {
				this.written = (model, request, response) -> {
					this.written = null;
					response.setStatus(status);
				};
			}

			@Override
			public @Nullable View getView() {
				return (this.written != null) ? this.written : super.getView();
			}

			@Override
			public @Nullable String getViewName() {
				return (this.written != null) ? null : super.getViewName();
			}

		}

	}

}
