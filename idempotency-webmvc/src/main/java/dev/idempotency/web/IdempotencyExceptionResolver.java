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
import java.util.Objects;
import java.util.Optional;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.util.DisconnectedClientHelper;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.OutcomePolicy.Outcome;
import dev.idempotency.engine.Rethrow;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.web.IdempotencyHandlerAdapter.CapturedRun;

/**
 * The first of the exception resolvers, even of those with the highest precedence: the
 * response of a resolver before it would not be stored. Writes the problems of this
 * library, and lets the application's own resolvers write the response to a failed
 * handler into a response that is stored if it is final.
 */
final class IdempotencyExceptionResolver implements HandlerExceptionResolver, PriorityOrdered {

	private final ObjectProvider<HandlerExceptionResolver> all;

	private final ResponseRecorder recorder;

	private final OutcomePolicy outcomePolicy;

	private final ObjectProvider<CommandDispatcher> dispatcher;

	private final ProblemWriter problems;

	IdempotencyExceptionResolver(ObjectProvider<HandlerExceptionResolver> all, ResponseRecorder recorder,
			OutcomePolicy outcomePolicy, ObjectProvider<CommandDispatcher> dispatcher, ProblemWriter problems) {
		this.all = all;
		this.recorder = recorder;
		this.outcomePolicy = outcomePolicy;
		this.dispatcher = dispatcher;
		this.problems = problems;
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception thrown) {
		Exception ex = (LeaseLostException.in(thrown) instanceof LeaseLostException lost) ? lost : thrown;
		try {
			Exchange exchange = Exchange.boundTo(request);
			if (exchange != null) {
				CapturedRun pending = exchange.takeWithoutView();
				if (pending != null) {
					pending.abandon(ex);
				}
				requireNotRefused(exchange);
				// The result of another thread is not the response if its dispatch has
				// failed.
				if (request.getDispatcherType() == DispatcherType.ASYNC && exchange.resume().isPresent()) {
					exchange.fail(ex);
				}
			}
			if (ex instanceof IdempotencyException problem) {
				return answer(problem, exchange, request, response, handler);
			}
			if (exchange == null || !exchange.hasFailed()) {
				return null;
			}
			try {
				answer(exchange, request, response, handler, ex);
				return new ModelAndView();
			}
			catch (IdempotencyException problem) {
				return answer(problem, exchange, request, response, handler);
			}
			catch (Exception unresolved) {
				awaitErrorPage(exchange, request, response);
				throw unresolved;
			}
		}
		catch (Exception failure) {
			throw Rethrow.unchecked(failure);
		}
	}

	/**
	 * Answers with a problem. The application's own handler may give it any status.
	 */
	private ModelAndView answer(IdempotencyException problem, @Nullable Exchange exchange, HttpServletRequest request,
			HttpServletResponse response, @Nullable Object handler) throws IOException {
		HttpStatusCode status = null;
		try {
			ModelAndView view = this.problems.answer(problem, request, response, handler);
			status = view.getStatus();
			return view;
		}
		finally {
			if (exchange != null) {
				exchange.endUnstored((status != null) ? status.value() : response.getStatus());
			}
		}
	}

	/**
	 * Throws the refusal of a handler that cannot be protected. That is a mistake of its
	 * developer and not a response of the application: it goes directly to the error
	 * page, past the application's resolvers, and is not stored.
	 */
	private static void requireNotRefused(Exchange exchange) {
		try {
			exchange.requireNotRefused();
		}
		catch (InvalidIdempotentException refusal) {
			exchange.endUnstored(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
			throw refusal;
		}
	}

	private void answer(Exchange exchange, HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) throws Exception {
		List<HeaderField> earlier = exchange.headersOfFailure();
		try (CapturingResponse captured = this.recorder.capture(response, earlier)) {
			ModelAndView view = resolve(request, captured, handler, ex);
			if (view == null || isTakenForAGoneClient(exchange, captured.isUntouched(earlier), ex)) {
				throw ex;
			}
			if (!view.isEmpty()) {
				this.dispatcher.getObject().render(view, captured.including(request), captured);
			}
			if (captured.isError()) {
				exchange.awaitErrorPage(captured.storedHeaders());
				captured.release();
				return;
			}
			send(exchange, captured, request, response);
		}
	}

	/**
	 * Leaves the response to the error page, with two exceptions. In the middle of a
	 * stream there is no error page. After a dispatch that has not taken its asynchronous
	 * result, Spring MVC takes that result for the one of the error page's controller.
	 */
	private void awaitErrorPage(Exchange exchange, HttpServletRequest request, HttpServletResponse response) {
		if (response.isCommitted() || WebAsyncUtils.getAsyncManager(request).hasConcurrentResult()) {
			exchange.endUnstored(response.getStatus());
		}
		else {
			exchange.awaitErrorPage(this.recorder.passOn(exchange.headersOfFailure(), response));
		}
	}

	/**
	 * Spring MVC leaves the response as it is, a 200 without a body, when an exception
	 * looks as if the client had gone. A broken connection to the database looks like
	 * that, too. A protected handler does not read from or write to the client directly,
	 * except for a stream.
	 */
	private static boolean isTakenForAGoneClient(Exchange exchange, boolean untouched, Exception ex) {
		return untouched && !exchange.endpoint().streaming()
				&& DisconnectedClientHelper.isClientDisconnectedException(ex);
	}

	/**
	 * Filters the error page, whose output is stored if it is the response to a failure.
	 * For {@link DispatcherType#ERROR} dispatches, and for forwards, with which Spring
	 * Boot shows the error page of a war; no other request passes this filter. An error
	 * page that fails leaves a failure that is not stored.
	 */
	void filterErrorPage(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Exchange exchange = Exchange.boundTo(request);
		if (exchange == null || !exchange.isAwaitingErrorPage()) {
			chain.doFilter(request, response);
			return;
		}
		HttpServletRequest page = (HttpServletRequest) request;
		HttpServletResponse client = (HttpServletResponse) response;
		try (CapturingResponse captured = this.recorder.capture(client)) {
			chain.doFilter(captured.including(page), captured);
			try {
				send(exchange, captured, page, client);
			}
			catch (IdempotencyException problem) {
				this.problems.write(problem, page, client);
				exchange.endUnstored(client.getStatus());
			}
		}
		finally {
			exchange.endUnstored(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
	}

	private void send(Exchange exchange, CapturingResponse captured, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		boolean isFinal = this.outcomePolicy.isFinal(new Outcome(captured.getStatus(), exchange.failure()));
		Optional<StoredResponse> other = Optional.empty();
		if (isFinal) {
			other = exchange.storeFailure(captured.toStored());
		}
		else {
			exchange.endUnstored(captured.getStatus());
		}
		this.recorder.send(captured, other, request, response);
	}

	private @Nullable ModelAndView resolve(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		return this.all.orderedStream()
			.filter((resolver) -> resolver != this)
			.map((resolver) -> resolver.resolveException(request, response, handler, ex))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

}
