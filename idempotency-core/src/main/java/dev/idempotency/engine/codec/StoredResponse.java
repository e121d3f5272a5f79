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
import java.io.UncheckedIOException;
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
public record StoredResponse(int status, List<HeaderField> headers, byte @Nullable [] body, Writing writing) {

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
		this(status, headers, body, Writing.NONE);
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
		byte[] content = this.body;
		if (content == null) {
			return new EncodedResponse(this.status, null);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
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
				codec.encodeResponse(identity, fingerprint, this.status, timeToLive, bytes.toByteArray(), content));
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
		ByteArrayInputStream bytes = codec.openResponse(identity, fingerprint, stored);
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
			return new StoredResponse(stored.status(), headers, bytes.readAllBytes(), writing);
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
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
	 * @param output the output that the body was written through
	 * @param charset the charset of the response, {@code null} if it was not set
	 * @param ending how the response was ended
	 * @param lengthAnnounced whether the length of the body was set
	 * @param reset whether the response was reset, with the headers of filters
	 * @param redirected whether it was sent as a redirect
	 */
	public record Writing(Output output, @Nullable String charset, Ending ending, boolean lengthAnnounced,
			boolean reset, boolean redirected) {

		/**
		 * No such call.
		 */
		public static final Writing NONE = new Writing(Output.STREAM, null, Ending.OPEN, false, false, false);

		private static final int LENGTH_ANNOUNCED = 1;

		private static final int RESET = 2;

		private static final int REDIRECTED = 4;

		/**
		 * Outputs of a response. The order is part of the stored form.
		 */
		public enum Output {

			STREAM, WRITER

		}

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
			out.writeByte(this.output.ordinal());
			out.writeByte(this.ending.ordinal());
			out.writeByte((this.lengthAnnounced ? LENGTH_ANNOUNCED : 0) | (this.reset ? RESET : 0)
					| (this.redirected ? REDIRECTED : 0));
			out.writeUTF((this.charset != null) ? this.charset : "");
		}

		private static Writing read(DataInputStream in) throws IOException {
			int output = in.readUnsignedByte();
			int ending = in.readUnsignedByte();
			int bits = in.readUnsignedByte();
			String charset = in.readUTF();
			if (output >= Output.values().length || ending >= Ending.values().length) {
				throw new IOException("Unknown format of a stored response");
			}
			return new Writing(Output.values()[output], charset.isEmpty() ? null : charset, Ending.values()[ending],
					(bits & LENGTH_ANNOUNCED) != 0, (bits & RESET) != 0, (bits & REDIRECTED) != 0);
		}

	}

}
