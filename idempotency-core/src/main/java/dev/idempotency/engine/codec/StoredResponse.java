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
package dev.idempotency.engine.codec;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;

/**
 * The response of a protected operation. Its stored form consists of headers and body,
 * encoded by the codec. The first byte is the version of the form, so that rows of an
 * earlier release stay readable.
 *
 * @param status the HTTP status, 0 for the return value of a bean
 * @param headers the header lines to replay, in order
 * @param body the body, or {@code null} when the response cannot be replayed
 * @param writing how the handler has written it
 */
public record StoredResponse(int status, List<HeaderField> headers, @Nullable Body body, Writing writing) {

	private static final int VERSION = 1;

	/**
	 * The bit beside the version that marks a response whose handler has written it
	 * through a response.
	 */
	private static final int WRITTEN = 0x80;

	/**
	 * Creates a response that was not written by a handler.
	 * @param status the HTTP status, 0 for the return value of a bean
	 * @param headers the header lines to replay, in order
	 * @param body the body, or {@code null} when the response cannot be replayed
	 */
	public StoredResponse(int status, List<HeaderField> headers, byte @Nullable [] body) {
		this(status, headers, (body != null) ? Body.of(body) : null, Writing.NONE);
	}

	/**
	 * Returns the content of the body, {@code null} when the response cannot be replayed.
	 * @return a new array
	 */
	public byte @Nullable [] content() {
		if (this.body == null) {
			return null;
		}
		byte[] content = new byte[Math.toIntExact(this.body.size())];
		this.body.copyTo(content, 0);
		return content;
	}

	/**
	 * Returns whether the response claims no effects.
	 */
	public boolean isError() {
		return this.status >= 400;
	}

	/**
	 * Encodes the response.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param timeToLive the time for which it may be replayed
	 * @param codec the codec
	 * @return the stored form
	 */
	public EncodedResponse encode(Identity identity, byte[] fingerprint, Duration timeToLive, ContentCodec codec) {
		if (this.body == null) {
			return new EncodedResponse(this.status, null);
		}
		ByteArrayOutputStream head = new ByteArrayOutputStream(128);
		try (DataOutputStream out = new DataOutputStream(head)) {
			boolean written = !this.writing.equals(Writing.NONE);
			out.writeByte(written ? VERSION | WRITTEN : VERSION);
			if (written) {
				this.writing.write(out);
			}
			out.writeShort(this.headers.size());
			for (HeaderField field : this.headers) {
				field.write(out);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new EncodedResponse(this.status,
				codec.encodeResponse(identity, fingerprint, this.status, timeToLive, head.toByteArray(), this.body));
	}

	/**
	 * Decodes a response.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param stored the stored form
	 * @param codec the codec
	 * @return the response
	 * @throws NotReplayableException if there is no content, or it cannot be decoded
	 */
	public static StoredResponse decode(Identity identity, byte[] fingerprint, EncodedResponse stored,
			ContentCodec codec) {
		ByteBuffer content = codec.openResponse(identity, fingerprint, stored);
		ByteArrayInputStream bytes = new ByteArrayInputStream(content.array(), content.position(), content.remaining());
		try (DataInputStream in = new DataInputStream(bytes)) {
			int form = in.readUnsignedByte();
			if ((form & ~WRITTEN) != VERSION) {
				throw new IOException("Unknown format of a stored response");
			}
			Writing writing = ((form & WRITTEN) != 0) ? Writing.read(in) : Writing.NONE;
			int count = in.readUnsignedShort();
			List<HeaderField> headers = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				headers.add(HeaderField.read(in));
			}
			return new StoredResponse(stored.status(), headers,
					new Bytes(content.array(), content.limit() - bytes.available(), bytes.available()), writing);
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
		}
	}

	/**
	 * The body of a response, wherever it is: it may be large, and is not copied to be
	 * sent or stored.
	 */
	public interface Body {

		/**
		 * Returns a body that is in memory.
		 * @param content the content, not to be changed
		 */
		static Body of(byte[] content) {
			return new Bytes(content, 0, content.length);
		}

		/**
		 * Returns the size in bytes.
		 */
		long size();

		/**
		 * Copies the whole body, which is in memory.
		 */
		void copyTo(byte[] target, int offset);

		/**
		 * Writes the whole body.
		 */
		void writeTo(OutputStream out) throws IOException;

		/**
		 * Opens the whole body for reading.
		 */
		InputStream open() throws IOException;

	}

	/**
	 * A body that is a part of an array.
	 */
	private record Bytes(byte[] array, int offset, int length) implements Body {

		@Override
		public long size() {
			return this.length;
		}

		@Override
		public void copyTo(byte[] target, int targetOffset) {
			System.arraycopy(this.array, this.offset, target, targetOffset, this.length);
		}

		@Override
		public void writeTo(OutputStream out) throws IOException {
			out.write(this.array, this.offset, this.length);
		}

		@Override
		public InputStream open() {
			return new ByteArrayInputStream(this.array, this.offset, this.length);
		}

	}

	/**
	 * One header line of a response.
	 *
	 * @param name the name as written
	 * @param value the value, {@code null} to remove all lines of the name
	 * @param added whether it is added to lines of the same name instead of replacing
	 * them
	 */
	public record HeaderField(String name, @Nullable String value, boolean added) {

		private static final int REPLACED = 0;

		private static final int ADDED = 1;

		private static final int REMOVED = 2;

		private void write(DataOutputStream out) throws IOException {
			out.writeUTF(this.name);
			out.writeUTF((this.value != null) ? this.value : "");
			out.writeByte((this.value == null) ? REMOVED : this.added ? ADDED : REPLACED);
		}

		private static HeaderField read(DataInputStream in) throws IOException {
			String name = in.readUTF();
			String value = in.readUTF();
			int change = in.readUnsignedByte();
			return new HeaderField(name, (change != REMOVED) ? value : null, change == ADDED);
		}

	}

	/**
	 * The calls by which a handler has written its response, apart from those for its
	 * status, headers and body. A response that surrounds it may react to each of them,
	 * so it is sent by the same calls.
	 *
	 * @param byWriter whether the body was written by the writer, not the stream
	 * @param charset the charset of the response, {@code null} if it was not set
	 * @param ending how the response was ended
	 * @param lengthAnnounced whether the length of the body was set
	 * @param reset whether the response was reset, with the headers of filters
	 * @param redirected whether it was sent as a redirect
	 */
	public record Writing(boolean byWriter, @Nullable String charset, Ending ending, boolean lengthAnnounced,
			boolean reset, boolean redirected) {

		/**
		 * No such call.
		 */
		public static final Writing NONE = new Writing(false, null, Ending.OPEN, false, false, false);

		private static final Ending[] ENDINGS = Ending.values();

		private static final int LENGTH_ANNOUNCED = 1;

		private static final int RESET = 2;

		private static final int REDIRECTED = 4;

		/**
		 * Endings of a response, from the weakest to the strongest. The order is part of
		 * the stored form.
		 */
		public enum Ending {

			/**
			 * Left to the container.
			 */
			OPEN,

			/**
			 * The output was flushed.
			 */
			FLUSHED,

			/**
			 * The response was committed, which nothing that comes after the handler can
			 * change then.
			 */
			COMMITTED,

			/**
			 * The output was closed.
			 */
			CLOSED

		}

		private void write(DataOutputStream out) throws IOException {
			out.writeByte(this.byWriter ? 1 : 0);
			out.writeByte(this.ending.ordinal());
			out.writeByte((this.lengthAnnounced ? LENGTH_ANNOUNCED : 0) | (this.reset ? RESET : 0)
					| (this.redirected ? REDIRECTED : 0));
			out.writeUTF((this.charset != null) ? this.charset : "");
		}

		private static Writing read(DataInputStream in) throws IOException {
			int byWriter = in.readUnsignedByte();
			int ending = in.readUnsignedByte();
			int bits = in.readUnsignedByte();
			String charset = in.readUTF();
			if (byWriter > 1 || ending >= ENDINGS.length) {
				throw new IOException("Unknown format of a stored response");
			}
			return new Writing(byWriter == 1, charset.isEmpty() ? null : charset, ENDINGS[ending],
					(bits & LENGTH_ANNOUNCED) != 0, (bits & RESET) != 0, (bits & REDIRECTED) != 0);
		}

	}

}
