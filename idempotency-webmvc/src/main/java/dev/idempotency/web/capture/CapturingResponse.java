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
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.idempotency.engine.codec.HeaderField;

/**
 * Keeps everything that is written to it away from the response around it, until
 * {@link #release} hands it on. What filters have set on the response around is visible
 * to the handler and is not part of the captured response.
 */
public final class CapturingResponse extends ResponseShorthands implements AutoCloseable {

	private final ServletResponse hidden;

	private final CapturedHeaders headers = new CapturedHeaders();

	private final List<Cookie> cookies = new ArrayList<>();

	private final ResponseBuffer buffer;

	private int status;

	private boolean committed;

	private @Nullable String errorMessage;

	private boolean error;

	private final CapturedContentType contentType = new CapturedContentType();

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	CapturingResponse(HttpServletResponse around, int limit) {
		super(around);
		this.hidden = around;
		this.status = around.getStatus();
		this.buffer = new ResponseBuffer(limit);
	}

	private HttpServletResponse around() {
		return (HttpServletResponse) super.getResponse();
	}

	/**
	 * Returns no surrounding response: at the end of a forward Tomcat looks for its own
	 * response through all wrappers and closes it, which is before it was written to.
	 */
	@Override
	public ServletResponse getResponse() {
		ServletResponse wrapped = super.getResponse();
		return (wrapped == this.hidden) ? OpaqueResponse.of((HttpServletResponse) wrapped) : wrapped;
	}

	/**
	 * Returns whether {@code sendError} was called: the body is made by the error page,
	 * later.
	 */
	public boolean isError() {
		return this.error;
	}

	/**
	 * Returns whether the response is untouched, so that it would be a success without a
	 * body.
	 */
	public boolean isUntouched() {
		byte[] body = capturedBody();
		return !this.error && this.status == SC_OK && body != null && body.length == 0 && fields().isEmpty();
	}

	/**
	 * The message that {@code sendError} was called with.
	 */
	public @Nullable String errorMessage() {
		return this.errorMessage;
	}

	/**
	 * Reopens the response for the body of an error: {@code sendError} has left the
	 * headers, and the status that the client gets.
	 */
	public void reopen() {
		this.error = false;
		this.committed = false;
		this.stream = null;
		this.writer = null;
	}

	/**
	 * The headers that were set, in order.
	 */
	public List<HeaderField> fields() {
		String type = this.contentType.header();
		if (type != null) {
			this.headers.set(HttpHeaders.CONTENT_TYPE, type);
		}
		return this.headers.toFields();
	}

	byte @Nullable [] capturedBody() {
		flushWriter();
		return this.buffer.toByteArray();
	}

	/**
	 * Passes everything to the surrounding response.
	 */
	public void release() throws IOException {
		HttpServletResponse around = around();
		releaseHeaders();
		if (this.error) {
			around.sendError(this.status, this.errorMessage);
			return;
		}
		around.setStatus(this.status);
		flushWriter();
		if (!this.buffer.isEmpty()) {
			this.buffer.writeTo(around.getOutputStream());
		}
	}

	private void releaseHeaders() {
		CapturedHeaders.write(fields(), around());
		this.cookies.forEach(around()::addCookie);
	}

	private void flushWriter() {
		if (this.writer != null) {
			this.writer.flush();
		}
	}

	@Override
	public void close() {
		this.buffer.close();
	}

	@Override
	public ServletOutputStream getOutputStream() {
		if (this.stream == null) {
			requireUnused(this.writer);
			this.stream = new BufferStream(this.buffer);
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() {
		if (this.writer == null) {
			requireUnused(this.stream);
			String charset = getCharacterEncoding();
			this.contentType.fixCharset(charset);
			this.writer = new PrintWriter(
					new OutputStreamWriter(new BufferStream(this.buffer), Charset.forName(charset)));
		}
		return this.writer;
	}

	private static void requireUnused(@Nullable Object other) {
		if (other != null) {
			throw new IllegalStateException("A response is written through its writer or its stream, not both");
		}
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!this.committed) {
			this.contentType.set(type);
		}
	}

	@Override
	public @Nullable String getContentType() {
		String own = this.contentType.header();
		return (own != null) ? own : super.getContentType();
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!this.committed) {
			this.contentType.setCharset(encoding);
		}
	}

	@Override
	public String getCharacterEncoding() {
		String own = this.contentType.charset();
		return (own != null) ? own : super.getCharacterEncoding();
	}

	/**
	 * The container alone knows which charset goes with a locale.
	 */
	@Override
	public void setLocale(Locale locale) {
		if (!this.committed && !this.contentType.isCharsetFixed()) {
			String before = super.getCharacterEncoding();
			super.setLocale(locale);
			if (this.contentType.charset() == null && !super.getCharacterEncoding().equals(before)) {
				this.contentType.setCharset(super.getCharacterEncoding());
			}
			this.headers.set(HttpHeaders.CONTENT_LANGUAGE, locale.toLanguageTag());
		}
	}

	@Override
	public void setContentLength(int length) {
		// The length on the wire is made anew for each exchange.
	}

	@Override
	public void setContentLengthLong(long length) {
		// As above.
	}

	@Override
	public void setStatus(int status) {
		if (!this.committed) {
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
	 * A relative location stays relative (RFC 9110 section 10.2.2), where the container
	 * would put the host of this exchange before it: a retry may come to another host.
	 */
	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		requireUncommitted();
		if (clearBuffer) {
			resetBuffer();
		}
		setStatus(status);
		setHeader(HttpHeaders.LOCATION, location);
		complete();
	}

	/**
	 * Returns the URL unchanged: the session id that the container would add is that of
	 * this caller, and the answer is kept for others.
	 */
	@Override
	public String encodeURL(String url) {
		return url;
	}

	@Override
	public String encodeRedirectURL(String url) {
		return url;
	}

	/**
	 * Completes the response, after which writes are ignored, as by the container.
	 */
	private void complete() {
		flushWriter();
		this.committed = true;
		this.stream = new BufferStream(OutputStream.nullOutputStream());
		this.writer = new PrintWriter(OutputStream.nullOutputStream());
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (!this.committed) {
			this.cookies.add(cookie);
		}
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (this.committed) {
			return;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
		}
		else if (value == null) {
			this.headers.remove(name);
		}
		else if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			this.headers.set(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (this.committed) {
			return;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
		}
		else if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			this.headers.add(name, value);
		}
	}

	@Override
	public @Nullable String getHeader(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			return getContentType();
		}
		return this.headers.values(name, super.getHeaders(name)).stream().findFirst().orElse(null);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			String type = getContentType();
			return (type != null) ? List.of(type) : List.of();
		}
		return this.headers.values(name, super.getHeaders(name));
	}

	@Override
	public Collection<String> getHeaderNames() {
		Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
		names.addAll(this.headers.names());
		return names;
	}

	@Override
	public void flushBuffer() {
		this.committed = true;
	}

	@Override
	public boolean isCommitted() {
		return this.committed;
	}

	@Override
	public void resetBuffer() {
		requireUncommitted();
		flushWriter();
		this.buffer.reset();
	}

	@Override
	public void reset() {
		resetBuffer();
		this.headers.clear();
		this.cookies.clear();
		this.status = around().getStatus();
		this.contentType.clear();
		this.stream = null;
		this.writer = null;
	}

	private void requireUncommitted() {
		if (this.committed) {
			throw new IllegalStateException("The response has been committed");
		}
	}

	@Override
	public int getBufferSize() {
		return Integer.MAX_VALUE;
	}

	@Override
	public void setBufferSize(int size) {
		// Everything is buffered.
	}

}
