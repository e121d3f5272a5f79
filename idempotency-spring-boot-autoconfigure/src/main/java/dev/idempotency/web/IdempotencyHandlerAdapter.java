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

import java.util.List;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.Outcome;
import dev.idempotency.OutcomePolicy;
import dev.idempotency.engine.Answer;

/**
 * Runs protected handlers through Spring MVC's own adapter, with a body that can be read
 * again and a response that is kept back until what it tells is durable.
 */
public final class IdempotencyHandlerAdapter implements HandlerAdapter, Ordered {

	private final EndpointRegistry registry;

	private final RequestMappingHandlerAdapter delegate;

	private final RequestReader requestReader;

	private final AnswerRecorder answers;

	private final OutcomePolicy outcomePolicy;

	private final ViewRenderer views;

	IdempotencyHandlerAdapter(EndpointRegistry registry, RequestMappingHandlerAdapter delegate,
			RequestReader requestReader, AnswerRecorder answers, OutcomePolicy outcomePolicy, ViewRenderer views) {
		this.registry = registry;
		this.delegate = delegate;
		this.requestReader = requestReader;
		this.answers = answers;
		this.outcomePolicy = outcomePolicy;
		this.views = views;
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
			handle(exchange, this.requestReader.read(request, exchange), response, handler);
			return null;
		}
		if (exchange != null && request.getDispatcherType() == DispatcherType.ASYNC && exchange.resume()) {
			handle(exchange, request, response, handler);
			return null;
		}
		return this.delegate.handle(request, response, handler);
	}

	private void handle(IdempotentExchange exchange, HttpServletRequest request, HttpServletResponse response,
			Object handler) throws Exception {
		if (exchange.endpoint().streaming()) {
			stream(exchange, request, response, handler);
			return;
		}
		try (CapturingResponse captured = this.answers.capture(response, exchange)) {
			Answer other = run(exchange, new AsyncSupport(request, response), captured, handler);
			if (other != null) {
				this.answers.replay(other, response);
			}
			else if (!exchange.isAsyncStarted()) {
				captured.release();
			}
		}
	}

	/**
	 * A stream goes to the client while it is made: that it was executed is stored when
	 * it has ended.
	 */
	private void stream(IdempotentExchange exchange, HttpServletRequest request, HttpServletResponse response,
			Object handler) throws Exception {
		AsyncSupport asyncRequest = new AsyncSupport(request, response);
		try (ThreadBinding bound = ThreadBinding.bind(asyncRequest, response)) {
			asyncRequest.followThreadsOf(exchange);
			this.delegate.handle(asyncRequest, response, handler);
			if (asyncRequest.isAsyncHandlingStarted()) {
				exchange.startAsync(List.of());
			}
			else {
				exchange.finish(new Answer(response.getStatus(), List.of(), null));
			}
		}
		catch (Exception | Error ex) {
			exchange.fail(ex);
			throw ex;
		}
	}

	/**
	 * Run the handler and store its answer.
	 * @return another answer to send instead, or {@code null}
	 */
	private @Nullable Answer run(IdempotentExchange exchange, AsyncSupport request, CapturingResponse captured,
			Object handler) throws Exception {
		try (ThreadBinding bound = ThreadBinding.bind(request, captured)) {
			request.followThreadsOf(exchange);
			this.views.render(this.delegate.handle(request, captured, handler), request, captured);
			if (request.isAsyncHandlingStarted()) {
				exchange.startAsync(captured.capturedHeaders().toFields());
				return null;
			}
			return conclude(exchange, captured);
		}
		catch (ReplaySignal signal) {
			return signal.answer();
		}
		catch (Exception | Error ex) {
			exchange.fail(ex);
			throw ex;
		}
	}

	private @Nullable Answer conclude(IdempotentExchange exchange, CapturingResponse captured) {
		if (captured.isError()) {
			exchange.release();
			exchange.awaitErrorPage(this.answers.storedHeaders(captured));
			return null;
		}
		boolean isFinal = this.outcomePolicy.isFinal(new Outcome(captured.getStatus(), null));
		if (isFinal && captured.getStatus() < HttpServletResponse.SC_INTERNAL_SERVER_ERROR) {
			return exchange.finish(this.answers.toAnswer(captured));
		}
		exchange.release();
		return exchange.settleFailure(isFinal ? this.answers.toAnswer(captured) : null);
	}

}
