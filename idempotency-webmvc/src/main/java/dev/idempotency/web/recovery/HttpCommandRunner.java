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

import java.util.Map;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.DispatcherServlet;

import dev.idempotency.engine.codec.Command;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.store.Recovery;

/**
 * Repeats stored HTTP requests:
 * <ol>
 * <li>The request takes the same way as before: mapping, interceptors, argument
 * resolvers, validation, method security, the handler in its phases, converters, advices
 * and exception resolvers. Servlet filters are not part of it; the rules of Spring
 * Security's are evaluated separately.</li>
 * <li>On the way to the handler the claim that was made for it is taken, in place of one
 * by its key, and its answer is stored as any other.</li>
 * <li>An error page is shown as the container would do it, so that an answer which is
 * made there is stored.</li>
 * <li>A request that does not reach its handler has failed.</li>
 * </ol>
 */
public final class HttpCommandRunner implements CommandRunner {

	private static final Log logger = LogFactory.getLog(HttpCommandRunner.class);

	private final CommandDispatcher dispatcher;

	private final Filter errorFilter;

	private final CommandSecurity security;

	private final Exchanges exchanges;

	/**
	 * Creates a runner.
	 * @param dispatcher dispatches the requests
	 * @param errorFilter stores the answers of error pages
	 * @param security the security of the requests
	 * @param exchanges finds the exchanges of requests
	 */
	public HttpCommandRunner(CommandDispatcher dispatcher, Filter errorFilter, CommandSecurity security,
			Exchanges exchanges) {
		this.dispatcher = dispatcher;
		this.errorFilter = errorFilter;
		this.security = security;
		this.exchanges = exchanges;
	}

	@Override
	public String kind() {
		return HttpCommand.KIND;
	}

	@Override
	public Map<String, Object> describe(Command command) {
		return HttpCommand.fromBytes(command.content()).describe();
	}

	@Override
	public void run(Command command, Recovery recovery) throws Exception {
		ServletContext servletContext = this.dispatcher.servlet().getServletContext();
		CommandRequest request = new CommandRequest(HttpCommand.fromBytes(command.content()), servletContext,
				this.dispatcher.servletPath());
		new RecoveredRequest(command.sender().account(), recovery).bindTo(request);
		HttpServletRequest secured = this.security.secure(request);
		CommandResponse response = new CommandResponse();
		Exception failure = null;
		try {
			this.dispatcher.dispatch(secured, response);
		}
		catch (Exception ex) {
			failure = ex;
		}
		Exchange exchange = this.exchanges.boundTo(request);
		if (exchange == null || !exchange.isReached()) {
			throw new CommandRefusedException(response.getStatus(), cause(request, failure));
		}
		try {
			if (exchange.isAwaitingErrorPage()) {
				showErrorPage(secured, response, failure);
			}
		}
		finally {
			exchange.abandon();
		}
	}

	private static @Nullable Throwable cause(HttpServletRequest request, @Nullable Exception failure) {
		return (failure != null) ? failure : (Throwable) request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE);
	}

	private void showErrorPage(HttpServletRequest request, CommandResponse response, @Nullable Exception failure) {
		int status = response.isError() ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
		Throwable cause = (failure instanceof ServletException wrapper && wrapper.getRootCause() != null)
				? wrapper.getRootCause() : failure;
		HttpServletRequest page = this.dispatcher.errorPage(request, status, response.errorMessage(), cause);
		if (page == null) {
			return;
		}
		response.openErrorPage(status);
		try {
			this.errorFilter.doFilter(page, response, this.dispatcher::dispatch);
		}
		catch (Exception ex) {
			logger.debug("The error page has failed", ex);
		}
	}

	/**
	 * The exchanges of requests, which those begin that a request passes.
	 */
	@FunctionalInterface
	public interface Exchanges {

		/**
		 * Finds the exchange of a request.
		 * @param request the request
		 * @return the exchange, {@code null} if none was begun
		 */
		@Nullable Exchange boundTo(ServletRequest request);

	}

	/**
	 * One request on its way to an answer.
	 */
	public interface Exchange {

		/**
		 * Returns whether the handler was reached under a claim.
		 */
		boolean isReached();

		/**
		 * Returns whether the error page is to write the answer.
		 */
		boolean isAwaitingErrorPage();

		/**
		 * Ends the exchange without an answer, if it has none yet.
		 */
		void abandon();

	}

}
