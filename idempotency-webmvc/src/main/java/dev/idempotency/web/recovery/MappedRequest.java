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

import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request that the container does not lead to Spring MVC's servlet. Its path shows the
 * mapping that the container would have used.
 */
abstract class MappedRequest extends HttpServletRequestWrapper {

	private final String servlet;

	/**
	 * Creates a request.
	 * @param request the request around
	 * @param servlet the path that Spring MVC's servlet is mapped to, empty for {@code /}
	 */
	MappedRequest(HttpServletRequest request, String servlet) {
		super(request);
		this.servlet = servlet;
	}

	private CommandMapping mapping() {
		return CommandMapping.of(this.servlet, getContextPath(), getRequestURI());
	}

	@Override
	public abstract String getRequestURI();

	@Override
	public StringBuffer getRequestURL() {
		StringBuffer url = new StringBuffer(getScheme()).append("://").append(getServerName());
		if (getServerPort() > 0 && getServerPort() != (isSecure() ? 443 : 80)) {
			url.append(':').append(getServerPort());
		}
		return url.append(getRequestURI());
	}

	@Override
	public String getServletPath() {
		return mapping().servletPath();
	}

	@Override
	public @Nullable String getPathInfo() {
		return mapping().pathInfo();
	}

	@Override
	public HttpServletMapping getHttpServletMapping() {
		return mapping();
	}

}
