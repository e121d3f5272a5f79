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
import java.util.function.BooleanSupplier;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/**
 * The end of a request whose failure was answered by something other than its handler, or
 * by nothing. As a filter it finds the failures that another filter answers itself, as
 * Spring Security's access denied handlers may. An error page follows an exception that
 * passes all filters, and {@code sendError}; after anything else the response is
 * complete, and what it says of the failure is not the handler's response.
 */
final class RequestEnd implements Filter {

	private final BooleanSupplier use;

	/**
	 * A use that has begun does not end.
	 */
	private volatile boolean inUse;

	RequestEnd(BooleanSupplier use) {
		this.use = use;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (!this.inUse) {
			this.inUse = this.use.getAsBoolean();
		}
		if (!this.inUse) {
			chain.doFilter(request, response);
			return;
		}
		Response answer = new Response((HttpServletResponse) response);
		chain.doFilter(request, answer);
		Exchange exchange = Exchange.boundTo(request);
		if (exchange != null && !answer.error && !request.isAsyncStarted()) {
			exchange.endUnstored(answer.getStatus());
		}
	}

	private static final class Response extends HttpServletResponseWrapper {

		private boolean error;

		Response(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void sendError(int status, String message) throws IOException {
			this.error = true;
			super.sendError(status, message);
		}

		@Override
		public void sendError(int status) throws IOException {
			this.error = true;
			super.sendError(status);
		}

	}

	/**
	 * Notifies exchanges of the end of their requests, which matters where no error page
	 * is registered. Jetty calls the listener at the end of each dispatch, before the
	 * error page.
	 */
	static final class Listener implements ServletRequestListener {

		@Override
		public void requestDestroyed(ServletRequestEvent event) {
			Exchange exchange = Exchange.boundTo(event.getServletRequest());
			if (exchange != null && !exchange.isOver() && !(exchange.isAwaitingErrorPage()
					&& event.getServletContext().getServerInfo().startsWith("jetty"))) {
				exchange.requestDestroyed();
			}
		}

	}

}
