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

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is in memory, for the handler to read as if it were unread.
 */
public class BufferedRequest extends HttpServletRequestWrapper {

	private byte[] content;

	private @Nullable ServletInputStream stream;

	private @Nullable BufferedReader reader;

	public BufferedRequest(HttpServletRequest request, byte[] content) {
		super(request);
		this.content = content;
	}

	/**
	 * Returns the charset of the request's body (Servlet 6.1 section 3.12).
	 */
	public static Charset charset(HttpServletRequest request) {
		String encoding = request.getCharacterEncoding();
		return (encoding != null) ? Charset.forName(encoding) : StandardCharsets.ISO_8859_1;
	}

	/**
	 * Rewinds the body of a request to its beginning.
	 */
	public static void rewind(HttpServletRequest request) {
		if (request instanceof BufferedRequest buffered) {
			buffered.stream = null;
			buffered.reader = null;
		}
	}

	final boolean isUnread() {
		return this.stream == null;
	}

	/**
	 * Takes the body away: nothing is left to be read.
	 */
	final byte[] take() {
		byte[] taken = this.content;
		this.content = new byte[0];
		return taken;
	}

	@Override
	public ServletInputStream getInputStream() {
		if (this.stream == null) {
			this.stream = new ContentStream(this.content);
		}
		return this.stream;
	}

	@Override
	public BufferedReader getReader() {
		if (this.reader == null) {
			this.reader = new BufferedReader(new InputStreamReader(getInputStream(), charset(this)));
		}
		return this.reader;
	}

	/**
	 * A servlet stream over bytes.
	 */
	private static final class ContentStream extends ServletInputStream {

		private final ByteArrayInputStream bytes;

		ContentStream(byte[] content) {
			this.bytes = new ByteArrayInputStream(content);
		}

		@Override
		public int read() {
			return this.bytes.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			return this.bytes.read(target, offset, length);
		}

		@Override
		public int available() {
			return this.bytes.available();
		}

		@Override
		public boolean isFinished() {
			return this.bytes.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			try {
				listener.onDataAvailable();
				listener.onAllDataRead();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
