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
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.io.Writer;
import java.util.List;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.codec.Answer.Writing;
import dev.idempotency.engine.codec.Answer.Writing.Ending;
import dev.idempotency.engine.codec.Answer.Writing.Output;

/**
 * A response that keeps everything that is written to it, until {@link #release} passes
 * it to the surrounding response. Headers that filters have set on the surrounding
 * response are visible to the handler and are not part of the captured response.
 */
public final class CapturingResponse extends CapturedHead implements AutoCloseable {

	private final ResponseBuffer buffer;

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

	/**
	 * Creates a response.
	 * @param around the surrounding response
	 * @param limit the largest body that is kept in memory and can be stored, in bytes
	 * @param sessionIds the ids that are removed from encoded URLs
	 */
	public CapturingResponse(HttpServletResponse around, int limit, SessionIds sessionIds) {
		super(around, sessionIds);
		this.status = around.getStatus();
		this.buffer = new ResponseBuffer(limit, this::end);
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
		return new Writing((this.writer != null) ? Output.WRITER : Output.STREAM, charset(), this.ending,
				isLengthAnnounced(), this.reset, this.redirected);
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
			fields().stream()
				.filter((field) -> field.name().equalsIgnoreCase(HttpHeaders.CONTENT_TYPE))
				.forEach((field) -> around().setContentType(field.value()));
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
			try (InputStream body = this.buffer.open()) {
				ResponseSender.send(this.status, fields(), writing(), body, this.buffer.size(), around());
			}
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
		clearHead();
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

}
