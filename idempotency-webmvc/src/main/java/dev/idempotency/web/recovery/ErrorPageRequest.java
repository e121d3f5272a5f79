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
package dev.idempotency.web.recovery;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request as an error page gets it (Servlet 6.1 section 10.9).
 */
final class ErrorPageRequest extends MappedRequest {

	private final String uri;

	ErrorPageRequest(HttpServletRequest request, String servlet, String path, int status, @Nullable String message,
			@Nullable Throwable failure) {
		super(request, servlet);
		this.uri = request.getContextPath() + servlet + path;
		setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
		setAttribute(RequestDispatcher.ERROR_MESSAGE, (message != null) ? message : "");
		setAttribute(RequestDispatcher.ERROR_EXCEPTION, failure);
		setAttribute(RequestDispatcher.ERROR_EXCEPTION_TYPE, (failure != null) ? failure.getClass() : null);
		setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
		setAttribute(RequestDispatcher.ERROR_METHOD, request.getMethod());
		setAttribute(RequestDispatcher.ERROR_QUERY_STRING, request.getQueryString());
		setAttribute(RequestDispatcher.ERROR_SERVLET_NAME, "dispatcherServlet");
	}

	@Override
	public DispatcherType getDispatcherType() {
		return DispatcherType.ERROR;
	}

	@Override
	public String getMethod() {
		return "GET";
	}

	@Override
	public String getRequestURI() {
		return this.uri;
	}

}
