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

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.UriUtils;

/**
 * A request that does not reach Spring MVC's servlet through the container. Its paths
 * follow the mapping that the container would have used. Changes of its attributes are
 * discarded, since the surrounding request continues.
 */
abstract class MappedRequest extends HttpServletRequestWrapper {

	private final Map<String, @Nullable Object> attributes = new HashMap<>();

	private final String servlet;

	/**
	 * Creates a request.
	 * @param request the surrounding request
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

	/**
	 * The mapping of a path to Spring MVC's servlet, as the container would resolve it
	 * (Servlet 6.1 sections 3.6 and 12.2).
	 *
	 * @param servlet the path that the servlet is mapped to, empty for {@code /}
	 * @param path the path within the application, decoded
	 */
	private record CommandMapping(String servlet, String path) implements HttpServletMapping {

		static CommandMapping of(String servlet, String contextPath, String uri) {
			String path = uri.substring(contextPath.length()).replaceAll(";[^/]*", "");
			return new CommandMapping(servlet, UriUtils.decode(path, StandardCharsets.UTF_8));
		}

		private boolean isDefault() {
			return this.servlet.isEmpty();
		}

		public String servletPath() {
			return isDefault() ? this.path : this.servlet;
		}

		public @Nullable String pathInfo() {
			return (isDefault() || this.path.length() <= this.servlet.length()) ? null
					: this.path.substring(this.servlet.length());
		}

		@Override
		public String getMatchValue() {
			String info = pathInfo();
			return (info != null) ? info.substring(1) : "";
		}

		@Override
		public String getPattern() {
			return isDefault() ? "/" : this.servlet + "/*";
		}

		@Override
		public String getServletName() {
			return "dispatcherServlet";
		}

		@Override
		public MappingMatch getMappingMatch() {
			return isDefault() ? MappingMatch.DEFAULT : MappingMatch.PATH;
		}

	}

}
