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
package dev.idempotency.web.capture;

import java.io.IOException;
import java.util.Locale;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A request with a captured response. An included resource writes to the body only
 * (Servlet 6.1 section 9.3): a container enforces this below the captured response, which
 * is too late.
 */
public class IncludingRequest extends HttpServletRequestWrapper {

	public IncludingRequest(HttpServletRequest request) {
		super(request);
	}

	@Override
	public @Nullable RequestDispatcher getRequestDispatcher(String path) {
		RequestDispatcher dispatcher = super.getRequestDispatcher(path);
		return (dispatcher != null) ? new Including(dispatcher) : null;
	}

	private record Including(RequestDispatcher dispatcher) implements RequestDispatcher {

		@Override
		public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			this.dispatcher.forward(request, response);
		}

		@Override
		public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			this.dispatcher.include(request,
					(response instanceof HttpServletResponse including) ? new IncludedResponse(including) : response);
		}

	}

	/**
	 * The response of an included resource, which ignores all changes of its head
	 * (Servlet 6.1 section 9.3).
	 */
	private static final class IncludedResponse extends ResponseShorthands {

		IncludedResponse(HttpServletResponse including) {
			super(including);
		}

		@Override
		public void setContentLength(int length) {
		}

		@Override
		public void setContentLengthLong(long length) {
		}

		@Override
		public void setContentType(@Nullable String type) {
		}

		@Override
		public void setLocale(@Nullable Locale locale) {
		}

		@Override
		public void setCharacterEncoding(@Nullable String encoding) {
		}

		@Override
		public void addCookie(Cookie cookie) {
		}

		@Override
		public void setHeader(String name, @Nullable String value) {
		}

		@Override
		public void addHeader(String name, @Nullable String value) {
		}

		@Override
		public void setStatus(int status) {
		}

		@Override
		public void sendError(int status, @Nullable String message) {
		}

		@Override
		public void sendRedirect(String location, int status, boolean clearBuffer) {
		}

		@Override
		public void reset() {
		}

	}

}
