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
import java.nio.charset.Charset;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A response that reduces the several forms of a call in the servlet API to one:
 * {@link #sendError(int, String)}, {@link #sendRedirect(String, int, boolean)},
 * {@link #setCharacterEncoding(String)}, {@link #setHeader} and {@link #addHeader}. The
 * size of the buffer is ignored.
 */
abstract class ResponseShorthands extends HttpServletResponseWrapper {

	ResponseShorthands(HttpServletResponse around) {
		super(around);
	}

	@Override
	public void sendError(int status) throws IOException {
		sendError(status, null);
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		sendRedirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		sendRedirect(location, SC_FOUND, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		sendRedirect(location, status, true);
	}

	@Override
	public void setCharacterEncoding(@Nullable Charset encoding) {
		setCharacterEncoding((encoding != null) ? encoding.name() : null);
	}

	@Override
	public void setIntHeader(String name, int value) {
		setHeader(name, Integer.toString(value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		addHeader(name, Integer.toString(value));
	}

	@Override
	public void setDateHeader(String name, long date) {
		setHeader(name, httpDate(date));
	}

	@Override
	public void addDateHeader(String name, long date) {
		addHeader(name, httpDate(date));
	}

	private static String httpDate(long date) {
		HttpHeaders formatter = new HttpHeaders();
		formatter.setDate(HttpHeaders.DATE, date);
		return String.valueOf(formatter.getFirst(HttpHeaders.DATE));
	}

	@Override
	public void setBufferSize(int size) {
		// Everything is buffered.
	}

	@Override
	public boolean containsHeader(String name) {
		return getHeader(name) != null;
	}

}
