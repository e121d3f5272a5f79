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

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;

import dev.idempotency.web.capture.CapturingResponse;
import dev.idempotency.web.recovery.CommandDispatcher;

/**
 * The error page of the application, as the container would show it, written into a
 * response that is not sent yet. A success that a handler sends with {@code sendError}
 * has its body from there, and must be complete before the transaction commits.
 */
final class ErrorPage {

	private final CommandDispatcher dispatcher;

	/**
	 * Creates a page.
	 * @param dispatcher shows the page; where it has none the body is empty, as the
	 * container's own is for a success
	 */
	ErrorPage(CommandDispatcher dispatcher) {
		this.dispatcher = dispatcher;
	}

	/**
	 * Writes the page for a response on which {@code sendError} was called.
	 */
	public void render(HttpServletRequest request, CapturingResponse captured) throws ServletException, IOException {
		HttpServletRequest page = this.dispatcher.errorPage(request, captured.getStatus(), captured.errorMessage(),
				null);
		captured.reopen();
		if (page != null) {
			// It is not protected, not asynchronous, and not observed as the request.
			IdempotentExchange.hideIn(page);
			page.setAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, null);
			page.setAttribute(ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, null);
			this.dispatcher.dispatch(page, captured);
		}
	}

}
