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
package dev.idempotency.web.capture;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.io.Writer;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.engine.codec.StoredResponse.Writing;
import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;
import dev.idempotency.engine.codec.StoredResponse.Writing.Output;

/**
 * A response that keeps everything that is written to it, until {@link #release} passes
 * it to the surrounding response. Headers that filters have set on the surrounding
 * response are visible to the handler and are not part of the captured response.
 */
public final class CapturingResponse extends ResponseShorthands implements AutoCloseable {

	/**
	 * The surrounding response at first. A container may put another around it, as Tomcat
	 * does for a forward.
	 */
	private final ServletResponse hidden;

	private final SessionIds sessionIds;

	private final CapturedHeaders headers;

	private final ResponseBuffer buffer;

	private @Nullable Locale locale;

	private boolean lengthAnnounced;

	private int status;

	private Ending ending = Ending.OPEN;

	private @Nullable String errorMessage;

	private boolean error;

	private boolean streamed;

	private @Nullable PrintWriter writer;

	private boolean reset;

	private boolean redirected;

	/**
	 * Set when the answer is taken. What is stored is what the client gets, so nothing
	 * that runs later changes it, such as a listener after the commit.
	 */
	private boolean sealed;

	private @Nullable List<HeaderField> sealedFields;

	/**
	 * Creates a response.
	 * @param around the surrounding response
	 * @param limit the largest body that is kept in memory and can be stored, in bytes
	 * @param sessionIds the ids that are removed from encoded URLs
	 */
	public CapturingResponse(HttpServletResponse around, int limit, SessionIds sessionIds) {
		super(around);
		this.hidden = around;
		this.sessionIds = sessionIds;
		this.headers = new CapturedHeaders(around);
		this.status = around.getStatus();
		this.buffer = new ResponseBuffer(limit, this::end);
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
		return (wrapped == this.hidden) ? TomcatResponses.hide(wrapped) : wrapped;
	}

	/**
	 * Returns whether {@code sendError} was called: the error page writes the body later.
	 */
	public boolean isError() {
		return this.error;
	}

	/**
	 * Returns whether nothing was written, so that the client would get a success without
	 * a body.
	 * @param earlier the headers that were set before
	 */
	public boolean isUntouched(List<HeaderField> earlier) {
		byte[] body = capturedBody();
		return !this.error && this.status == SC_OK && body != null && body.length == 0 && fields().equals(earlier);
	}

	public @Nullable String errorMessage() {
		return this.errorMessage;
	}

	/**
	 * Returns the headers that were set, in order.
	 */
	public List<HeaderField> fields() {
		if (this.sealedFields != null) {
			return this.sealedFields;
		}
		List<HeaderField> fields = this.headers.toFields();
		if (this.sealed) {
			this.sealedFields = fields;
		}
		return fields;
	}

	/**
	 * Returns the headers that remain when the handler fails: Spring MVC resets those
	 * that describe its body.
	 */
	public List<HeaderField> fieldsOfFailure() {
		return fields().stream()
			.filter((field) -> !isNamed(HttpHeaders.CONTENT_TYPE, field)
					&& !isNamed(HttpHeaders.CONTENT_DISPOSITION, field))
			.toList();
	}

	private static boolean isNamed(String name, HeaderField field) {
		return field.name().equalsIgnoreCase(name);
	}

	/**
	 * Passes the cookies to the surrounding response. They are not part of an answer.
	 * @return the other headers that were set
	 */
	public List<HeaderField> releaseCookies() {
		CapturedHeaders.write(this.headers.takeCookies(), around());
		return fields();
	}

	/**
	 * Reopens the response for the body of an error page: {@code sendError} has kept the
	 * headers, and the status that the client gets.
	 */
	public void reopen() {
		this.error = false;
		this.ending = Ending.OPEN;
		this.buffer.reopen();
		forgetOutput();
	}

	private void forgetOutput() {
		this.streamed = false;
		this.writer = null;
	}

	byte @Nullable [] capturedBody() {
		flushWriter();
		return this.buffer.toByteArray();
	}

	Writing writing() {
		return new Writing((this.writer != null) ? Output.WRITER : Output.STREAM, this.headers.charset(), this.ending,
				this.lengthAnnounced, this.reset, this.redirected);
	}

	/**
	 * Completes the response as its answer, and takes the stream of the surrounding
	 * response if the handler has: if a filter has taken its writer, the body cannot be
	 * sent, which must not turn out after the commit. The type is set before, since a
	 * surrounding response may choose its stream by the type.
	 */
	void seal() throws IOException {
		flushWriter();
		if (this.streamed && this.buffer.size() > 0 && !this.redirected) {
			this.headers.writeContentType(around());
			around().getOutputStream();
		}
		this.buffer.complete();
		this.sealed = true;
	}

	/**
	 * Passes everything to the surrounding response.
	 */
	public void release() throws IOException {
		if (!this.error) {
			flushWriter();
			ResponseSender.send(this.status, fields(), writing(), this.buffer, around());
			return;
		}
		CapturedHeaders.write(fields(), around());
		if (this.errorMessage != null) {
			around().sendError(this.status, this.errorMessage);
		}
		else {
			around().sendError(this.status);
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
		if (this.sealed && this.writer == null) {
			return new PrintWriter(Writer.nullWriter());
		}
		if (this.writer == null) {
			requireUnused(this.streamed);
			String charset = getCharacterEncoding();
			this.writer = new PrintWriter(new OutputStreamWriter(this.buffer, charset));
			this.headers.fixCharset(charset);
		}
		return this.writer;
	}

	private static void requireUnused(boolean other) {
		if (other) {
			throw new IllegalStateException("A response is written through its writer or its stream, not both");
		}
	}

	@Override
	public void setStatus(int status) {
		if (!isCommitted()) {
			this.status = status;
		}
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	@Override
	public void sendError(int status, @Nullable String message) {
		resetBuffer();
		this.status = status;
		this.errorMessage = message;
		this.error = true;
		complete();
	}

	/**
	 * Keeps a relative location relative (RFC 9110 section 10.2.2). The container would
	 * add the host of this exchange, but a retry may reach another host.
	 */
	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
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

	private void end(Ending ending) {
		if (!this.sealed && ending.compareTo(this.ending) > 0) {
			this.ending = ending;
		}
	}

	@Override
	public boolean isCommitted() {
		return this.ending != Ending.OPEN || this.sealed;
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
		resetBuffer();
		around().reset();
		this.headers.clear();
		this.locale = null;
		this.lengthAnnounced = false;
		this.status = around().getStatus();
		this.reset = true;
		forgetOutput();
	}

	private void requireUncommitted() {
		if (isCommitted()) {
			throw new IllegalStateException("The response has been committed");
		}
	}

	@Override
	public int getBufferSize() {
		return Integer.MAX_VALUE;
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		if (!isCommitted()) {
			this.lengthAnnounced = (length >= 0);
		}
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!isCommitted()) {
			this.headers.setContentType(type);
		}
	}

	@Override
	public @Nullable String getContentType() {
		String own = this.headers.contentType();
		return (own != null || this.headers.isRemoved(HttpHeaders.CONTENT_TYPE)) ? own : super.getContentType();
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!isCommitted()) {
			this.headers.setCharset(encoding);
		}
	}

	@Override
	public String getCharacterEncoding() {
		String own = this.headers.charset();
		return (own != null) ? own : super.getCharacterEncoding();
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		if (!isCommitted()) {
			this.locale = locale;
			String charset = (locale != null) ? charsetOf(locale) : null;
			if (locale == null || charset != null) {
				this.headers.setLocaleCharset(charset);
			}
			setHeader(HttpHeaders.CONTENT_LANGUAGE, (locale != null) ? locale.toLanguageTag() : null);
		}
	}

	/**
	 * Asks the container for the charset of a locale. The surrounding response does not
	 * keep the locale, since something else may be sent in place of this response.
	 */
	private @Nullable String charsetOf(Locale locale) {
		String before = super.getCharacterEncoding();
		Locale localeBefore = super.getLocale();
		super.setLocale(locale);
		String charset = super.getCharacterEncoding();
		super.setLocale(Locale.getDefault().equals(localeBefore) ? null : localeBefore);
		return charset.equals(before) ? null : charset;
	}

	@Override
	public Locale getLocale() {
		return (this.locale != null) ? this.locale : super.getLocale();
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (!isCommitted()) {
			this.headers.add(cookie);
		}
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (!isCommitted() && StringUtils.hasLength(name) && !isOfTheBody(name, value)) {
			if (value == null) {
				this.headers.remove(name);
			}
			else {
				this.headers.set(name, value);
			}
		}
	}

	/**
	 * Ignores a header without a name or a value, as the container does.
	 */
	@Override
	public void addHeader(String name, @Nullable String value) {
		if (!isCommitted() && StringUtils.hasLength(name) && value != null && !isOfTheBody(name, value)) {
			this.headers.add(name, value);
		}
	}

	private boolean isOfTheBody(String name, @Nullable String value) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
			return true;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			setContentLengthLong((value != null) ? 0 : -1);
			return true;
		}
		return false;
	}

	@Override
	public @Nullable String getHeader(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			return getContentType();
		}
		Iterator<String> values = getHeaders(name).iterator();
		return values.hasNext() ? values.next() : null;
	}

	@Override
	public Collection<String> getHeaders(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			String type = getContentType();
			return (type != null) ? List.of(type) : List.of();
		}
		return this.headers.values(name, () -> super.getHeaders(name));
	}

	@Override
	public Collection<String> getHeaderNames() {
		return this.headers.names(super.getHeaderNames());
	}

	/**
	 * Returns the URL as filters encode it, without the session id that the container
	 * adds for this caller: the answer is replayed to others.
	 */
	@Override
	public String encodeURL(String url) {
		return this.sessionIds.removeFrom(super.encodeURL(url));
	}

	@Override
	public String encodeRedirectURL(String url) {
		return this.sessionIds.removeFrom(super.encodeRedirectURL(url));
	}

}
