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
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.util.List;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.http.HttpHeaders;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.engine.codec.StoredResponse.Writing;
import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;
import dev.idempotency.web.endpoint.SensitiveNames;

/**
 * A response that keeps everything that is written to it, until {@link #release} passes
 * it to the surrounding response. Headers that filters have set on the surrounding
 * response are visible to the handler and are not part of the captured response.
 * <p>
 * The several forms of a call in the servlet API are reduced to one:
 * {@link #sendError(int, String)} and {@link #sendRedirect(String, int, boolean)}.
 */
final class CapturingResponse extends CapturedHead implements AutoCloseable {

	private final SensitiveNames sensitive;

	private final ResponseBuffer buffer;

	private Ending ending = Ending.OPEN;

	private @Nullable String errorMessage;

	private boolean error;

	private boolean streamed;

	private @Nullable PrintWriter writer;

	private boolean reset;

	private boolean redirected;

	/**
	 * Set while an included resource runs.
	 */
	private boolean including;

	/**
	 * Set when the response is taken. What is stored is what the client gets, so nothing
	 * that runs later changes it, such as a listener after the commit.
	 */
	private @Nullable StoredResponse sealed;

	/**
	 * Creates a response.
	 * @param around the surrounding response
	 * @param limit the largest body that is kept in memory and can be stored, in bytes
	 * @param sensitive the headers that are not stored, and the session ids that are
	 * removed from encoded URLs
	 */
	CapturingResponse(HttpServletResponse around, int limit, SensitiveNames sensitive) {
		super(around);
		this.sensitive = sensitive;
		this.buffer = new ResponseBuffer(limit, this);
	}

	private HttpServletResponse around() {
		return (HttpServletResponse) super.getResponse();
	}

	/**
	 * Hides a surrounding response of Tomcat: at the end of a forward, Tomcat looks for
	 * its response through all wrappers and closes it, before anything was written to it.
	 */
	@Override
	public ServletResponse getResponse() {
		ServletResponse wrapped = super.getResponse();
		return (wrapped == this.original && isOfTomcat(wrapped)) ? opaque(wrapped) : wrapped;
	}

	private static boolean isOfTomcat(ServletResponse response) {
		ServletResponse own = response;
		while (own instanceof ServletResponseWrapper wrapper) {
			own = wrapper.getResponse();
		}
		return own.getClass().getName().startsWith("org.apache.catalina.");
	}

	private static ServletResponse opaque(ServletResponse response) {
		return (ServletResponse) Proxy.newProxyInstance(HttpServletResponse.class.getClassLoader(),
				new Class<?>[] { HttpServletResponse.class }, (proxy, method, arguments) -> AopUtils
					.invokeJoinpointUsingReflection(response, method, (arguments != null) ? arguments : new Object[0]));
	}

	/**
	 * Returns a request whose included resources write to the body of this response only.
	 */
	HttpServletRequest including(HttpServletRequest request) {
		return new HttpServletRequestWrapper(request) {

			@Override
			public @Nullable RequestDispatcher getRequestDispatcher(String path) {
				return including(super.getRequestDispatcher(path));
			}

		};
	}

	/**
	 * Returns a dispatcher whose included resource writes to the body of this response
	 * only, and changes nothing of its head (Servlet 6.1 section 9.3). A container
	 * enforces this below the captured response, which is too late.
	 */
	@Nullable RequestDispatcher including(@Nullable RequestDispatcher dispatcher) {
		return (dispatcher != null) ? new Including(dispatcher) : null;
	}

	/**
	 * Returns whether {@code sendError} was called: the error page writes the body later.
	 */
	boolean isError() {
		return this.error;
	}

	/**
	 * Returns whether nothing was written, so that the client would get a success without
	 * a body.
	 * @param earlier the headers that were set before
	 */
	boolean isUntouched(List<HeaderField> earlier) throws IOException {
		flushWriter();
		return !this.error && getStatus() == SC_OK && this.buffer.size() == 0 && toFields().equals(earlier);
	}

	@Nullable String errorMessage() {
		return this.errorMessage;
	}

	/**
	 * Returns the headers that were set and are stored, in order.
	 */
	List<HeaderField> storedHeaders() {
		return this.sensitive.removeFrom(toFields());
	}

	/**
	 * Returns the headers that remain when the handler fails: Spring MVC resets those
	 * that describe its body.
	 */
	List<HeaderField> headersOfFailure() {
		return toFields().stream()
			.filter((field) -> !field.name().equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)
					&& !field.name().equalsIgnoreCase(HttpHeaders.CONTENT_DISPOSITION))
			.toList();
	}

	/**
	 * Reopens the response for the body of an error page: {@code sendError} has kept the
	 * headers, and the status that the client gets.
	 */
	void reopen() {
		this.error = false;
		this.ending = Ending.OPEN;
		this.buffer.reopen();
		forgetOutput();
	}

	private void forgetOutput() {
		this.streamed = false;
		this.writer = null;
	}

	/**
	 * Returns the response to store, after which this response does not change. Takes the
	 * stream of the surrounding response if the handler has: if a filter has taken its
	 * writer, the body cannot be sent, which must not turn out after the commit. The type
	 * is set before, since a surrounding response may choose its stream by the type.
	 * @throws IllegalStateException if the response cannot be sent
	 */
	StoredResponse toStored() throws IOException {
		StoredResponse sent = sent();
		if (this.streamed && this.buffer.size() > 0 && !this.redirected) {
			HttpServletResponse around = around();
			writeContentType(around);
			around.getOutputStream();
		}
		this.sealed = sent;
		return new StoredResponse(sent.status(), this.sensitive.removeFrom(sent.headers()), this.buffer.complete(),
				sent.writing());
	}

	private StoredResponse sent() {
		if (this.sealed != null) {
			return this.sealed;
		}
		flushWriter();
		return new StoredResponse(getStatus(), toFields(), this.buffer, new Writing(this.writer != null, charset(),
				this.ending, isLengthAnnounced(), this.reset, this.redirected));
	}

	/**
	 * Passes everything to the surrounding response.
	 */
	void release() throws IOException {
		StoredResponse sent = sent();
		HttpServletResponse around = around();
		if (!this.error) {
			ResponseRecorder.send(sent, sent.headers(), around);
			return;
		}
		ResponseRecorder.writeHeaders(sent.headers(), around);
		if (this.errorMessage != null) {
			around.sendError(getStatus(), this.errorMessage);
		}
		else {
			around.sendError(getStatus());
		}
	}

	/**
	 * Moves what the writer holds into the buffer, which does not commit the response.
	 */
	private void flushWriter() {
		if (this.writer != null) {
			Ending before = this.ending;
			this.writer.flush();
			this.ending = before;
		}
	}

	@Override
	public void close() {
		this.buffer.delete();
	}

	@Override
	public ServletOutputStream getOutputStream() {
		requireUnused(this.writer != null);
		this.streamed = true;
		return this.buffer;
	}

	@Override
	public PrintWriter getWriter() throws UnsupportedEncodingException {
		if (this.sealed != null && this.writer == null) {
			return new PrintWriter(Writer.nullWriter());
		}
		if (this.writer == null) {
			requireUnused(this.streamed);
			String charset = getCharacterEncoding();
			this.writer = new PrintWriter(new OutputStreamWriter(this.buffer, charset));
			fixCharset(charset);
		}
		return this.writer;
	}

	private static void requireUnused(boolean other) {
		if (other) {
			throw new IllegalStateException("A response is written through its writer or its stream, not both");
		}
	}

	@Override
	public void sendError(int status) {
		sendError(status, null);
	}

	@Override
	public void sendError(int status, @Nullable String message) {
		if (this.including) {
			return;
		}
		resetBuffer();
		setStatus(status);
		this.errorMessage = message;
		this.error = true;
		complete();
	}

	@Override
	public void sendRedirect(String location) {
		sendRedirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) {
		sendRedirect(location, SC_FOUND, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status) {
		sendRedirect(location, status, true);
	}

	/**
	 * Keeps a relative location relative (RFC 9110 section 10.2.2). The container would
	 * add the host of this exchange, but a retry may reach another host.
	 */
	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		if (this.including) {
			return;
		}
		requireUncommitted();
		if (clearBuffer) {
			resetBuffer();
		}
		setStatus(status);
		setHeader(HttpHeaders.LOCATION, location);
		this.redirected = true;
		complete();
	}

	/**
	 * Completes the response, after which writes are ignored, as by the container.
	 */
	private void complete() {
		flushWriter();
		end(Ending.COMMITTED);
		this.buffer.complete();
	}

	@Override
	public void flushBuffer() {
		end(Ending.COMMITTED);
	}

	void end(Ending ending) {
		if (this.sealed == null && ending.compareTo(this.ending) > 0) {
			this.ending = ending;
		}
	}

	@Override
	public boolean isCommitted() {
		return this.ending != Ending.OPEN || this.sealed != null;
	}

	@Override
	boolean isHeadOpen() {
		return this.ending == Ending.OPEN && this.sealed == null && !this.including;
	}

	@Override
	public void resetBuffer() {
		requireUncommitted();
		flushWriter();
		this.buffer.reset();
	}

	/**
	 * Resets the surrounding response, too: it loses the headers of filters, and gives
	 * its writer or stream again.
	 */
	@Override
	public void reset() {
		if (this.including) {
			return;
		}
		resetBuffer();
		around().reset();
		clearHead(around().getStatus());
		this.reset = true;
		forgetOutput();
	}

	private void requireUncommitted() {
		if (isCommitted()) {
			throw new IllegalStateException("The response has been committed");
		}
	}

	/**
	 * Does nothing: everything is buffered.
	 */
	@Override
	public void setBufferSize(int size) {
	}

	@Override
	public int getBufferSize() {
		return Integer.MAX_VALUE;
	}

	/**
	 * Returns the URL as filters encode it, without the session id that the container
	 * adds for this caller: the response is replayed to others.
	 */
	@Override
	public String encodeURL(String url) {
		return this.sensitive.removeFrom(super.encodeURL(url));
	}

	@Override
	public String encodeRedirectURL(String url) {
		return this.sensitive.removeFrom(super.encodeRedirectURL(url));
	}

	private final class Including implements RequestDispatcher {

		private final RequestDispatcher dispatcher;

		Including(RequestDispatcher dispatcher) {
			this.dispatcher = dispatcher;
		}

		@Override
		public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			this.dispatcher.forward(request, response);
		}

		@Override
		public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			boolean nested = CapturingResponse.this.including;
			CapturingResponse.this.including = true;
			try {
				this.dispatcher.include(request, response);
			}
			finally {
				CapturingResponse.this.including = nested;
			}
		}

	}

}
