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

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.CapturingResponse;

/**
 * Stores the answers that the error page writes for a protected handler. Registered for
 * {@link DispatcherType#ERROR} dispatches only, so that other requests do not pass it.
 */
final class IdempotencyFilter implements Filter {

	private final AnswerRecorder answers;

	private final IdempotencyExceptionResolver resolver;

	IdempotencyFilter(AnswerRecorder answers, IdempotencyExceptionResolver resolver) {
		this.answers = answers;
		this.resolver = resolver;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		IdempotentExchange exchange = IdempotentExchange.boundTo(request);
		if (exchange == null || !exchange.isAwaitingErrorPage()) {
			chain.doFilter(request, response);
			return;
		}
		try (CapturingResponse captured = this.answers.capture((HttpServletResponse) response)) {
			chain.doFilter(request, captured);
			this.resolver.sendErrorPage(exchange, captured, (HttpServletRequest) request,
					(HttpServletResponse) response);
		}
	}

}
