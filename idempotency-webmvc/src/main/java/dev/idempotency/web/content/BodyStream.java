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
package dev.idempotency.web.content;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;

/**
 * The stream of a body that is in memory.
 */
public final class BodyStream extends ServletInputStream {

	private final ByteArrayInputStream bytes;

	public BodyStream(byte[] content) {
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
