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
import java.util.List;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import dev.idempotency.engine.codec.Answer.HeaderField;

/**
 * A response that keeps everything that is written to it, until {@link #release} passes
 * it to the surrounding response. Headers that filters have set on the surrounding
 * response are visible to the handler and are not part of the captured response.
 */
public final class CapturingResponse extends CapturedHead implements AutoCloseable {

	private final ResponseBuffer buffer;

	private int status;

	private boolean committed;

	private @Nullable String errorMessage;

	private boolean error;

	private boolean streamed;

	private @Nullable PrintWriter writer;

	/**
	 * Creates a response.
	 * @param limit the largest body that is kept in memory and can be stored, in bytes
	 */
	public CapturingResponse(HttpServletResponse around, int limit) {
		super(around);
		this.status = around.getStatus();
		this.buffer = new ResponseBuffer(limit, this::flushBuffer);
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
		this.committed = false;
		this.buffer.reopen();
		this.streamed = false;
		this.writer = null;
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
		CapturedHeaders.write(fields(), around);
		if (this.error) {
			around.sendError(this.status, this.errorMessage);
			return;
		}
		around.setStatus(this.status);
		byte[] body = capturedBody();
		if (body != null) {
			AnswerRecorder.write(body, this.committed, around);
			return;
		}
		this.buffer.sendTo(around);
		if (this.committed) {
			around.flushBuffer();
		}
	}

	/**
	 * Moves what the writer holds into the buffer, which does not commit the response.
	 */
	private void flushWriter() {
		if (this.writer != null) {
			boolean before = this.committed;
			this.writer.flush();
			this.committed = before;
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
		complete();
	}

	/**
	 * Completes the response, after which writes are ignored, as by the container.
	 */
	private void complete() {
		flushWriter();
		this.committed = true;
		this.buffer.complete();
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
		clearHead();
		this.status = around().getStatus();
		this.streamed = false;
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

}
