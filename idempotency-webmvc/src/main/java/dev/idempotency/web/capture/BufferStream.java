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
import java.io.UncheckedIOException;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/**
 * A servlet stream into a buffer, which is ready at any time.
 */
final class BufferStream extends ServletOutputStream {

	private final OutputStream buffer;

	BufferStream(OutputStream buffer) {
		this.buffer = buffer;
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
	public boolean isReady() {
		return true;
	}

	@Override
	public void setWriteListener(WriteListener listener) {
		try {
			listener.onWritePossible();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
