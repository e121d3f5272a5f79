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
import java.util.Collections;
import java.util.Enumeration;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.ModelAndView;

/**
 * A dispatcher that leads requests and their error pages to Spring MVC, and renders
 * views, without the container.
 */
public final class CommandDispatcher {

	private final WebApplicationContext context;

	private final String servletPath;

	private final @Nullable String errorPath;

	private @Nullable CommandServlet servlet;

	/**
	 * Creates a dispatcher.
	 * @param context the application
	 * @param servletPath the path that Spring MVC's servlet is mapped to, empty for
	 * {@code /}
	 * @param errorPath the path of the error page within the servlet, {@code null} if
	 * there is none
	 */
	public CommandDispatcher(WebApplicationContext context, String servletPath, @Nullable String errorPath) {
		this.context = context;
		this.servletPath = servletPath;
		this.errorPath = errorPath;
	}

	String servletPath() {
		return this.servletPath;
	}

	ServletContext servletContext() throws ServletException {
		return servlet().getServletContext();
	}

	/**
	 * Creates the request for the error page.
	 * @param request the request that the page is shown for
	 * @param status the status of its response
	 * @param message the message of its response, {@code null} if it has none
	 * @param failure the exception that it has failed with, {@code null} if there is none
	 * @return the request, {@code null} if there is no error page
	 */
	@Nullable HttpServletRequest errorPage(HttpServletRequest request, int status, @Nullable String message,
			@Nullable Throwable failure) {
		return (this.errorPath != null)
				? new ErrorPageRequest(request, this.servletPath, this.errorPath, status, message, failure) : null;
	}

	/**
	 * Dispatches a request.
	 */
	void dispatch(ServletRequest request, ServletResponse response) throws ServletException, IOException {
		servlet().service(request, response);
	}

	/**
	 * Renders a view as the dispatcher servlet would, but now, unless it was cleared: the
	 * stored response has to be identical to the one on the wire.
	 */
	void render(@Nullable ModelAndView view, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		if (view != null && !view.wasCleared()) {
			servlet().render(view, request, response);
		}
	}

	/**
	 * Returns the servlet, which is created when it is needed: the servlet context does
	 * not exist before the server.
	 */
	private synchronized CommandServlet servlet() throws ServletException {
		CommandServlet made = this.servlet;
		if (made == null) {
			made = CommandServlet.over(this.context);
			this.servlet = made;
		}
		return made;
	}

	/**
	 * A request with the attributes of an error page (Servlet 6.1 section 10.9).
	 */
	private static final class ErrorPageRequest extends MappedRequest {

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

	/**
	 * Spring MVC's servlet over the application's own mappings, interceptors, advices and
	 * resolvers, unknown to the container: the container's own servlet can only be
	 * reached through connectors and filters.
	 */
	private static final class CommandServlet extends DispatcherServlet {

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

}
