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

import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.ModelAndView;

/**
 * Spring MVC's servlet over the application's own mappings, interceptors, advices and
 * resolvers, unknown to the container: with the container's own one stored requests would
 * have to pass its connectors and filters.
 */
final class CommandServlet extends DispatcherServlet {

	private static final long serialVersionUID = 1L;

	private CommandServlet(WebApplicationContext context) {
		super(context);
		setPublishContext(false);
		setPublishEvents(false);
	}

	static CommandServlet over(WebApplicationContext context) throws ServletException {
		ServletContext servletContext = context.getServletContext();
		if (servletContext == null) {
			throw new IllegalStateException("The application has no servlet context");
		}
		CommandServlet servlet = new CommandServlet(context);
		servlet.init(new Config(servletContext));
		return servlet;
	}

	/**
	 * Renders a view as the container's own servlet would.
	 */
	@Override
	protected void render(ModelAndView view, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		if (!view.hasView()) {
			view.setViewName(getDefaultViewName(request));
		}
		super.render(view, request, response);
	}

	/**
	 * A configuration without parameters.
	 *
	 * @param context the servlet context
	 */
	private record Config(ServletContext context) implements ServletConfig {

		@Override
		public String getServletName() {
			return "idempotencyCommandServlet";
		}

		@Override
		public ServletContext getServletContext() {
			return this.context;
		}

		@Override
		public @Nullable String getInitParameter(String name) {
			return null;
		}

		@Override
		public Enumeration<String> getInitParameterNames() {
			return Collections.emptyEnumeration();
		}

	}

}
