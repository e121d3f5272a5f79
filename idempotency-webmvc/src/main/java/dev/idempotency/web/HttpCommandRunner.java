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

import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.DispatcherServlet;

import dev.idempotency.account.Account;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.maintenance.CommandRunner;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.web.endpoint.Endpoint;
import dev.idempotency.web.endpoint.SensitiveNames;

/**
 * A runner that repeats stored HTTP requests:
 * <ol>
 * <li>The request takes the same path as before: mapping, interceptors, argument
 * resolvers, validation, method security, the handler in its phases, converters, advices
 * and exception resolvers. It passes no servlet filters, and the rules of Spring Security
 * for requests are not evaluated: a stored request has not everything that they may ask
 * for. Its sender is checked instead, see {@code AccountRunner}.</li>
 * <li>On the way to the handler it takes the claim that was made for it, instead of a
 * claim by its key. Its response is stored like any other.</li>
 * <li>The error page is dispatched as by the container, so that the response that it
 * writes is stored.</li>
 * <li>A request that does not reach its handler has failed.</li>
 * </ol>
 */
final class HttpCommandRunner implements CommandRunner {

	/**
	 * The attribute of a request with its {@link Recovered} data.
	 */
	static final String RECOVERED = Recovered.class.getName();

	private static final Log logger = LogFactory.getLog(HttpCommandRunner.class);

	private final CommandDispatcher dispatcher;

	private final Filter errorFilter;

	private final UnaryOperator<HttpServletRequest> senders;

	/**
	 * Creates a runner.
	 * @param dispatcher dispatches the requests
	 * @param errorFilter stores the responses of error pages
	 * @param senders adds the sender, for whom the thread acts, to a request
	 */
	HttpCommandRunner(CommandDispatcher dispatcher, Filter errorFilter, UnaryOperator<HttpServletRequest> senders) {
		this.dispatcher = dispatcher;
		this.errorFilter = errorFilter;
		this.senders = senders;
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
		ServletContext servletContext = this.dispatcher.servletContext();
		HttpCommand stored = HttpCommand.fromBytes(command.content());
		HttpServletRequest request = new CommandRequest(stored, servletContext, this.dispatcher.servletPath());
		request.setAttribute(RECOVERED, new Recovered(command.sender().account(), recovery));
		HttpServletRequest sent = this.senders.apply(request);
		try (CapturingResponse response = new CapturingResponse(new NobodysResponse(), Integer.MAX_VALUE,
				SensitiveNames.FIXED)) {
			Exception failure = dispatch(sent, response);
			Exchange exchange = Exchange.boundTo(request);
			if (exchange == null || !exchange.isReached()) {
				throw new CommandRefusedException(response.getStatus(), (failure != null) ? failure
						: (Throwable) request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE));
			}
			try {
				if (exchange.isAwaitingErrorPage()) {
					showErrorPage(sent, response, failure);
				}
			}
			finally {
				exchange.abandon();
			}
		}
	}

	private @Nullable Exception dispatch(HttpServletRequest request, HttpServletResponse response) {
		try {
			this.dispatcher.dispatch(request, response);
			return null;
		}
		catch (Exception ex) {
			return ex;
		}
	}

	private void showErrorPage(HttpServletRequest request, CapturingResponse response, @Nullable Exception failure) {
		int status = response.isError() ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
		Throwable cause = (failure instanceof ServletException wrapper && wrapper.getRootCause() != null)
				? wrapper.getRootCause() : failure;
		HttpServletRequest page = this.dispatcher.errorPage(request, status, response.errorMessage(), cause);
		if (page == null) {
			return;
		}
		response.reopen();
		response.setStatus(status);
		try {
			this.errorFilter.doFilter(page, response, this.dispatcher::dispatch);
		}
		catch (Exception ex) {
			logger.debug("The error page has failed", ex);
		}
	}

	/**
	 * The response to a request without a waiting client. The stored part is captured in
	 * front of it; of the rest only the status counts.
	 */
	private static final class NobodysResponse extends HttpServletResponseWrapper {

		NobodysResponse() {
			super(Defaults.of(HttpServletResponse.class));
		}

		@Override
		public int getStatus() {
			return SC_OK;
		}

		/**
		 * The default of the Servlet specification, section 5.6.
		 */
		@Override
		public String getCharacterEncoding() {
			return StandardCharsets.ISO_8859_1.name();
		}

		@Override
		public String encodeURL(String url) {
			return url;
		}

		@Override
		public String encodeRedirectURL(String url) {
			return url;
		}

		@Override
		public Locale getLocale() {
			return Locale.getDefault();
		}

	}

	/**
	 * The data of a request that the completer repeats without key and credentials. It is
	 * an attribute of the request.
	 *
	 * @param account the sender's account
	 * @param recovery the claim that was made for it
	 */
	record Recovered(Account account, Recovery recovery) {

		/**
		 * Returns the account that the request belongs to.
		 * @param present the account that the application sees, {@code null} if it
		 * depends on data that only the original request had
		 */
		Account requireAccount(@Nullable Account present) {
			if (present != null && !present.equals(this.account)) {
				throw new OtherAccountException();
			}
			return this.account;
		}

		/**
		 * Fails if a new mapping has led the request to a handler other than its own.
		 */
		void requireOperation(Endpoint endpoint) {
			if (!endpoint.operation().name().equals(this.recovery.operation())) {
				throw new OtherOperationException();
			}
		}

	}

	/**
	 * The application sees a caller other than the sender of the request.
	 */
	private static final class OtherAccountException extends IllegalStateException {

		@Serial
		private static final long serialVersionUID = 1L;

		OtherAccountException() {
			super("The AccountResolver returned another account than the account of the request. "
					+ "Let the AccountRunner bind the data that the AccountResolver reads to the thread.");
		}

	}

	/**
	 * The request leads to an operation other than the one that it was stored for.
	 */
	private static final class OtherOperationException extends IllegalStateException {

		@Serial
		private static final long serialVersionUID = 1L;

		OtherOperationException() {
			super("The stored request is mapped to another operation");
		}

	}

	/**
	 * A stored request did not reach its handler: the present application refuses it. The
	 * message omits the content of the request.
	 */
	private static final class CommandRefusedException extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		CommandRefusedException(int status, @Nullable Throwable cause) {
			super("The stored request was refused with the status " + status, cause);
		}

	}

}
