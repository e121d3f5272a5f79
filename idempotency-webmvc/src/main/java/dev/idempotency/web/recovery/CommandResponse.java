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

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The response of a request without a waiting client. The part to store is captured
 * before; of the rest only the status counts.
 */
final class CommandResponse extends HttpServletResponseWrapper {

	private int status = SC_OK;

	private boolean error;

	private @Nullable String errorMessage;

	CommandResponse() {
		super(Defaults.of(HttpServletResponse.class));
	}

	/**
	 * Returns whether {@code sendError} was called, so that the error page is to be
	 * shown.
	 */
	boolean isError() {
		return this.error;
	}

	@Nullable String errorMessage() {
		return this.errorMessage;
	}

	/**
	 * Begins the error page.
	 */
	void openErrorPage(int status) {
		this.status = status;
		this.error = false;
	}

	@Override
	public void setStatus(int status) {
		this.status = status;
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	@Override
	public void sendError(int status) {
		sendError(status, null);
	}

	@Override
	public void sendError(int status, @Nullable String message) {
		this.status = status;
		this.errorMessage = message;
		this.error = true;
	}

	@Override
	public void sendRedirect(String location) {
		this.status = SC_FOUND;
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		this.status = status;
	}

	@Override
	public boolean isCommitted() {
		return this.error;
	}

	@Override
	public String encodeURL(String url) {
		return url;
	}

	@Override
	public String encodeRedirectURL(String url) {
		return url;
	}

	/**
	 * The default of the Servlet specification, section 5.6.
	 */
	@Override
	public String getCharacterEncoding() {
		return StandardCharsets.ISO_8859_1.name();
	}

	@Override
	public Locale getLocale() {
		return Locale.getDefault();
	}

	@Override
	public PrintWriter getWriter() {
		return new PrintWriter(Writer.nullWriter());
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return new ServletOutputStream() {

			@Override
			public void write(int b) {
				// It is never read.
			}

			@Override
			public boolean isReady() {
				return true;
			}

			@Override
			public void setWriteListener(WriteListener listener) {
				throw new IllegalStateException("A stored request is not answered asynchronously");
			}

		};
	}

}
