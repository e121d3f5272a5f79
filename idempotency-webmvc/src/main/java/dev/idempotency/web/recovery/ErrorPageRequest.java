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

import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request as an error page gets it (Servlet 6.1 section 10.9). Changes that the page
 * makes to its attributes are discarded, since the request continues.
 */
final class ErrorPageRequest extends MappedRequest {

	private final Map<String, @Nullable Object> attributes = new HashMap<>();

	private final String uri;

	ErrorPageRequest(HttpServletRequest request, String servlet, String path, int status, @Nullable String message,
			@Nullable Throwable failure) {
		super(request, servlet);
		this.uri = request.getContextPath() + servlet + path;
		this.attributes.put(RequestDispatcher.ERROR_STATUS_CODE, status);
		this.attributes.put(RequestDispatcher.ERROR_MESSAGE, (message != null) ? message : "");
		this.attributes.put(RequestDispatcher.ERROR_EXCEPTION, failure);
		this.attributes.put(RequestDispatcher.ERROR_EXCEPTION_TYPE, (failure != null) ? failure.getClass() : null);
		this.attributes.put(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
		this.attributes.put(RequestDispatcher.ERROR_METHOD, request.getMethod());
		this.attributes.put(RequestDispatcher.ERROR_QUERY_STRING, request.getQueryString());
		this.attributes.put(RequestDispatcher.ERROR_SERVLET_NAME, "dispatcherServlet");
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

	@Override
	public @Nullable Object getAttribute(String name) {
		return this.attributes.containsKey(name) ? this.attributes.get(name) : super.getAttribute(name);
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		this.attributes.put(name, value);
	}

	@Override
	public void removeAttribute(String name) {
		this.attributes.put(name, null);
	}

	@Override
	public Enumeration<String> getAttributeNames() {
		Set<String> names = new LinkedHashSet<>(Collections.list(super.getAttributeNames()));
		names.addAll(this.attributes.keySet());
		names.removeIf((name) -> getAttribute(name) == null);
		return Collections.enumeration(names);
	}

}
