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

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A request with a captured response. What it includes writes to the body only (Servlet
 * 6.1 section 9.3): a container ensures that below the captured response, too late for
 * what that has captured.
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

}
