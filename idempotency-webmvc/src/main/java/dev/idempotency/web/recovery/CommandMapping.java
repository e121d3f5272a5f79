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

import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.UriUtils;

/**
 * The mapping of a path to Spring MVC's servlet, as the container would resolve it
 * (Servlet 6.1 sections 3.6 and 12.2).
 *
 * @param servlet the path that the servlet is mapped to, empty for {@code /}
 * @param path the path within the application, decoded
 */
record CommandMapping(String servlet, String path) implements HttpServletMapping {

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
