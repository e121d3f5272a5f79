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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.function.Consumer;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FastByteArrayOutputStream;

import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;

/**
 * A buffer that holds a response until its transaction has committed: in memory up to a
 * limit, in an encrypted temporary file beyond it. As the stream of a container it
 * commits its response when it is flushed or closed, and ignores everything that is
 * written after it was closed.
 */
final class ResponseBuffer extends ServletOutputStream implements ResponseSender.Body {

	private final int limit;

	private final Consumer<Ending> end;

	private final FastByteArrayOutputStream memory = new FastByteArrayOutputStream();

	private @Nullable EphemeralFile file;

	private boolean complete;

	/**
	 * Creates a buffer.
	 * @param limit the largest content that is kept in memory, in bytes
	 * @param end ends the response
	 */
	ResponseBuffer(int limit, Consumer<Ending> end) {
		this.limit = limit;
		this.end = end;
	}

	@Override
	public void write(int b) throws IOException {
		target(1).write(b);
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
		target(length).write(bytes, offset, length);
	}

	@Override
	public void flush() {
		this.end.accept(Ending.FLUSHED);
	}

	@Override
	public void close() {
		complete();
		this.end.accept(Ending.CLOSED);
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

	private OutputStream target(int length) throws IOException {
		if (this.complete) {
			return OutputStream.nullOutputStream();
		}
		if (this.file == null && this.memory.size() + (long) length <= this.limit) {
			return this.memory;
		}
		if (this.file == null) {
			this.file = new EphemeralFile();
			this.memory.writeTo(this.file.out());
			this.memory.reset();
		}
		return this.file.out();
	}

	/**
	 * Ends the content.
	 */
	void complete() {
		this.complete = true;
	}

	void reopen() {
		this.complete = false;
	}

	/**
	 * Returns the whole content.
	 * @return the bytes, not to be changed, {@code null} if they are over the limit
	 */
	byte @Nullable [] toByteArray() {
		return (this.file == null) ? this.memory.toByteArrayUnsafe() : null;
	}

	@Override
	public long size() throws IOException {
		return (this.file != null) ? this.file.size() : this.memory.size();
	}

	@Override
	public void writeTo(OutputStream out) throws IOException {
		if (this.file == null) {
			this.memory.writeTo(out);
			return;
		}
		try (InputStream in = this.file.open()) {
			in.transferTo(out);
		}
	}

	@Override
	public InputStream open() throws IOException {
		return (this.file != null) ? this.file.open() : new ByteArrayInputStream(this.memory.toByteArrayUnsafe());
	}

	void reset() {
		this.memory.reset();
		delete();
	}

	/**
	 * Deletes the temporary file.
	 */
	void delete() {
		EphemeralFile file = this.file;
		this.file = null;
		if (file == null) {
			return;
		}
		try {
			file.close();
		}
		catch (IOException ex) {
			// It has no name any more, or the operating system deletes it with the
			// process.
		}
	}

}
