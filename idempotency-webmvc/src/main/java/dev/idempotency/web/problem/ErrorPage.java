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
package dev.idempotency.web.problem;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.WebApplicationContext;

import dev.idempotency.web.capture.CapturingResponse;
import dev.idempotency.web.recovery.CommandServlet;

/**
 * The error page of the application, as the container would show it, written into a
 * response that is not sent yet. A success that a handler sends with {@code sendError}
 * has its body from there, and must be complete before the transaction commits.
 */
public final class ErrorPage {

	private final WebApplicationContext context;

	private final String servletPath;

	private final @Nullable String path;

	private @Nullable CommandServlet servlet;

	/**
	 * Creates a page.
	 * @param context the application
	 * @param servletPath the path that Spring MVC's servlet is mapped to, empty for
	 * {@code /}
	 * @param path the path of the page within the servlet, {@code null} if there is none:
	 * the body is empty then, as the container's own is for a success
	 */
	public ErrorPage(WebApplicationContext context, String servletPath, @Nullable String path) {
		this.context = context;
		this.servletPath = servletPath;
		this.path = path;
	}

	/**
	 * Writes the page for a response on which {@code sendError} was called.
	 */
	public void render(HttpServletRequest request, CapturingResponse captured) throws ServletException, IOException {
		ErrorPageRequest page = new ErrorPageRequest(request, this.servletPath, (this.path != null) ? this.path : "",
				captured.getStatus(), captured.errorMessage());
		captured.reopen();
		if (this.path != null) {
			servlet().service(page, captured);
		}
	}

	/**
	 * Returns the servlet, created on demand: the servlet context does not exist before
	 * the server.
	 */
	private synchronized CommandServlet servlet() throws ServletException {
		CommandServlet made = this.servlet;
		if (made == null) {
			made = CommandServlet.over(this.context);
			this.servlet = made;
		}
		return made;
	}

}
