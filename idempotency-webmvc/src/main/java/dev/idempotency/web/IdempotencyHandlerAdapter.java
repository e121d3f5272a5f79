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
import java.util.Optional;

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

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.web.content.HandlerRequest;
import dev.idempotency.web.policy.EndpointRegistry;

/**
 * A handler adapter that runs protected handlers through that of Spring MVC, with a body
 * that can be read again and a response that is buffered until its effects are committed.
 */
final class IdempotencyHandlerAdapter implements HandlerAdapter, Ordered {

	private static final Log logger = LogFactory.getLog(IdempotencyHandlerAdapter.class);

	private final EndpointRegistry registry;

	private final HandlerRequest.Settings requests;

	private final CapturedExecution.Parts parts;

	IdempotencyHandlerAdapter(EndpointRegistry registry, HandlerRequest.Settings requests,
			CapturedExecution.Parts parts) {
		this.registry = registry;
		this.requests = requests;
		this.parts = parts;
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
			HandlerRequest read = new HandlerRequest(request, this.requests, exchange.delivery().handlerName(),
					exchange.rules()::refuse);
			exchange.prepare(read, response);
			return handle(exchange, read, response, handler, List.of());
		}
		if (exchange != null && request.getDispatcherType() == DispatcherType.ASYNC) {
			Optional<List<HeaderField>> earlier = exchange.resume();
			if (earlier.isPresent()) {
				return handle(exchange, request, response, handler, earlier.get());
			}
		}
		return this.parts.handlers().handle(request, response, handler);
	}

	private @Nullable ModelAndView handle(IdempotentExchange exchange, HttpServletRequest request,
			HttpServletResponse response, Object handler, List<HeaderField> earlier) throws Exception {
		HandlerThread thread = new HandlerThread(this.parts.guard(), exchange);
		ModelAndView view = null;
		try {
			if (exchange.delivery().endpoint().streaming()) {
				stream(exchange, new AsyncSupport(request, response, exchange), response, handler, thread);
			}
			else {
				view = capture(exchange, request, response, handler, earlier, thread);
			}
			return view;
		}
		finally {
			if (view != null) {
				thread.pause();
			}
			else {
				thread.end();
			}
		}
	}

	/**
	 * Runs a handler whose response goes to the client while it is written. At the end,
	 * only the fact that the handler was executed is stored.
	 */
	private void stream(IdempotentExchange exchange, AsyncSupport request, HttpServletResponse response, Object handler,
			HandlerThread thread) throws Exception {
		try (ThreadBinding bound = ThreadBinding.bind(request, response)) {
			request.followThreads(this.parts.guard());
			this.parts.handlers().handle(request, response, handler);
			if (request.isAsyncHandlingStarted()) {
				thread.suspend(List.of());
			}
			else {
				thread.requireSound(request);
				exchange.run().finish(new Answer(response.getStatus(), List.of(), null));
			}
		}
		catch (Exception | Error ex) {
			thread.fail(ex);
			throw ex;
		}
	}

	private @Nullable ModelAndView capture(IdempotentExchange exchange, HttpServletRequest request,
			HttpServletResponse response, Object handler, List<HeaderField> earlier, HandlerThread thread)
			throws Exception {
		while (true) {
			try {
				return new CapturedExecution(this.parts, exchange, new AsyncSupport(request, response, exchange),
						response, earlier, thread)
					.handle(handler);
			}
			catch (FinishConflictException conflict) {
				logger.debug("The handler is called again", conflict);
				if (request instanceof HandlerRequest own) {
					own.rewind();
				}
			}
		}
	}

}
