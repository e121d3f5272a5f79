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
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredAnswer;

/**
 * The answer of a protected operation. Its stored form consists of headers and body,
 * encoded by the codec. The first byte is the version of the form, so that rows of an
 * earlier release stay readable.
 *
 * @param status the HTTP status, 0 for the return value of a bean
 * @param headers the header lines to replay, in order
 * @param body the body, or {@code null} when the answer cannot be replayed
 * @param committed whether the handler has committed the response, which nothing that
 * comes after the handler can change then
 */
public record Answer(int status, List<HeaderField> headers, byte @Nullable [] body, boolean committed) {

	private static final int VERSION = 1;

	/**
	 * The bit beside the version that marks a committed answer.
	 */
	private static final int COMMITTED = 0x80;

	/**
	 * Creates an answer that was not committed by its handler.
	 * @param status the HTTP status, 0 for the return value of a bean
	 * @param headers the header lines to replay, in order
	 * @param body the body, or {@code null} when the answer cannot be replayed
	 */
	public Answer(int status, List<HeaderField> headers, byte @Nullable [] body) {
		this(status, headers, body, false);
	}

	/**
	 * Returns whether the answer claims no effects.
	 */
	public boolean isError() {
		return this.status >= 400;
	}

	/**
	 * Encodes the answer.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param timeToLive the time for which it may be replayed
	 * @param codec the codec
	 * @return the stored form
	 */
	public StoredAnswer encode(Identity identity, byte[] fingerprint, Duration timeToLive, ResponseCodec codec) {
		byte[] content = this.body;
		if (content == null) {
			return new StoredAnswer(this.status, null);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(this.committed ? VERSION | COMMITTED : VERSION);
			out.writeShort(this.headers.size());
			for (HeaderField field : this.headers) {
				out.writeUTF(field.name());
				out.writeUTF(field.value());
				out.writeBoolean(field.added());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		ResponseCodec.Context context = context(identity, fingerprint, this.status, timeToLive);
		return new StoredAnswer(this.status, encode(codec, context, bytes.toByteArray(), content));
	}

	/**
	 * Encodes head and body. The library's own codec needs no copy of both in one array,
	 * since bodies may be large.
	 */
	private static byte[] encode(ResponseCodec codec, ResponseCodec.Context context, byte[] head, byte[] body) {
		if (codec instanceof EnvelopeCodec own) {
			return own.encode(context, head, body);
		}
		byte[] content = Arrays.copyOf(head, head.length + body.length);
		System.arraycopy(body, 0, content, head.length, body.length);
		return codec.encode(context, content);
	}

	/**
	 * Decodes an answer.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param stored the stored form
	 * @param codec the codec
	 * @return the answer
	 * @throws NotReplayableException if there is no content, or it cannot be decoded
	 */
	public static Answer decode(Identity identity, byte[] fingerprint, StoredAnswer stored, ResponseCodec codec) {
		byte[] content = stored.content();
		if (content == null) {
			throw new NotReplayableException(null);
		}
		ResponseCodec.Context context = context(identity, fingerprint, stored.status(), null);
		ByteArrayInputStream bytes = (codec instanceof EnvelopeCodec own) ? own.open(context, content)
				: new ByteArrayInputStream(codec.decode(context, content));
		try (DataInputStream in = new DataInputStream(bytes)) {
			int form = in.readUnsignedByte();
			if ((form & ~COMMITTED) != VERSION) {
				throw new IOException("Unknown format of a stored answer");
			}
			int count = in.readUnsignedShort();
			List<HeaderField> headers = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				headers.add(new HeaderField(in.readUTF(), in.readUTF(), in.readBoolean()));
			}
			return new Answer(stored.status(), headers, bytes.readAllBytes(), (form & COMMITTED) != 0);
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
		}
	}

	private static ResponseCodec.Context context(Identity identity, byte[] fingerprint, int status,
			@Nullable Duration timeToLive) {
		return new ResponseCodec.Context(Purpose.ANSWER, identity.digest(), fingerprint, status, timeToLive);
	}

	/**
	 * One header line of an answer.
	 *
	 * @param name the name as written
	 * @param value the value
	 * @param added whether it is added to lines of the same name instead of replacing
	 * them
	 */
	public record HeaderField(String name, String value, boolean added) {
	}

}
