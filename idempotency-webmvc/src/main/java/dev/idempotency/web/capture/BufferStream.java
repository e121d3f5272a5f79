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

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/**
 * A servlet stream into a buffer. As the stream of a container it commits its response
 * when it is flushed or closed, and ignores what is written after it was closed.
 */
final class BufferStream extends ServletOutputStream {

	private final ResponseBuffer buffer;

	private final Runnable commit;

	BufferStream(ResponseBuffer buffer, Runnable commit) {
		this.buffer = buffer;
		this.commit = commit;
	}

	@Override
	public void write(int b) throws IOException {
		this.buffer.write(b);
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
		this.buffer.write(bytes, offset, length);
	}

	@Override
	public void flush() {
		this.commit.run();
	}

	@Override
	public void close() {
		this.buffer.complete();
		this.commit.run();
	}

	@Override
	public boolean isReady() {
		return true;
	}

	/**
	 * A protected handler does not start asynchronous processing, which a listener
	 * requires (Servlet 6.1 section 3.7).
	 */
	@Override
	public void setWriteListener(WriteListener listener) {
		throw new IllegalStateException("Asynchronous processing of the request has not been started");
	}

}
