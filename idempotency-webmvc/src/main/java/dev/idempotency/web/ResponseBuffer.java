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
package dev.idempotency.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.codec.StoredResponse.Body;
import dev.idempotency.engine.codec.StoredResponse.Writing.Ending;

/**
 * A buffer that holds a response until its transaction has committed: in memory up to a
 * limit, in an encrypted temporary file beyond it. As the stream of a container it
 * commits its response when it is flushed or closed, and ignores everything that is
 * written after it was closed.
 */
final class ResponseBuffer extends ServletOutputStream implements Body {

	private static final int SMALLEST_BLOCK = 64;

	private static final int LARGEST_BLOCK = 16 * 1024;

	private static final byte[] EMPTY = new byte[0];

	private final int limit;

	private final CapturingResponse response;

	/**
	 * The blocks before the current one, all of them full. A block is as large as the
	 * first write to it, so that a body that is written at once is never copied.
	 */
	private final List<byte[]> full = new ArrayList<>(0);

	private byte[] block = EMPTY;

	private int used;

	private long size;

	private @Nullable EphemeralFile file;

	private boolean complete;

	/**
	 * Creates a buffer.
	 * @param limit the largest content that is kept in memory, in bytes
	 * @param response the response that its end is the end of
	 */
	ResponseBuffer(int limit, CapturingResponse response) {
		this.limit = limit;
		this.response = response;
	}

	@Override
	public void write(int b) throws IOException {
		if (this.used < this.block.length && this.size < this.limit && !this.complete) {
			this.block[this.used] = (byte) b;
			this.used++;
			this.size++;
		}
		else {
			write(new byte[] { (byte) b }, 0, 1);
		}
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
		if (this.complete) {
			return;
		}
		if (this.file == null && this.size + length > this.limit) {
			EphemeralFile file = new EphemeralFile();
			writeTo(file.out());
			forget();
			this.file = file;
		}
		this.size += length;
		if (this.file != null) {
			this.file.out().write(bytes, offset, length);
			return;
		}
		int fitting = Math.min(length, this.block.length - this.used);
		System.arraycopy(bytes, offset, this.block, this.used, fitting);
		this.used += fitting;
		if (fitting < length) {
			if (this.used > 0) {
				this.full.add(this.block);
			}
			int rest = length - fitting;
			this.block = new byte[Math.max(rest, (int) Math.min(Math.max(this.size, SMALLEST_BLOCK), LARGEST_BLOCK))];
			System.arraycopy(bytes, offset + fitting, this.block, 0, rest);
			this.used = rest;
		}
	}

	@Override
	public void flush() {
		this.response.end(Ending.FLUSHED);
	}

	@Override
	public void close() {
		complete();
		this.response.end(Ending.CLOSED);
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

	/**
	 * Ends the content.
	 * @return the body to store, {@code null} if it is over the limit
	 */
	@Nullable Body complete() {
		this.complete = true;
		return (this.file == null) ? this : null;
	}

	void reopen() {
		this.complete = false;
	}

	@Override
	public long size() {
		return this.size;
	}

	@Override
	public void copyTo(byte[] target, int offset) {
		int position = offset;
		for (byte[] block : this.full) {
			System.arraycopy(block, 0, target, position, block.length);
			position += block.length;
		}
		System.arraycopy(this.block, 0, target, position, this.used);
	}

	@Override
	public void writeTo(OutputStream out) throws IOException {
		if (this.file == null) {
			for (byte[] block : this.full) {
				out.write(block);
			}
			out.write(this.block, 0, this.used);
			return;
		}
		try (InputStream in = this.file.open()) {
			in.transferTo(out);
		}
	}

	@Override
	public InputStream open() throws IOException {
		if (this.file != null) {
			return this.file.open();
		}
		List<InputStream> blocks = new ArrayList<>();
		this.full.forEach((block) -> blocks.add(new ByteArrayInputStream(block)));
		blocks.add(new ByteArrayInputStream(this.block, 0, this.used));
		return new SequenceInputStream(Collections.enumeration(blocks));
	}

	void reset() {
		forget();
		this.size = 0;
		delete();
	}

	private void forget() {
		this.full.clear();
		this.block = EMPTY;
		this.used = 0;
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
