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

import dev.idempotency.codec.CodecContext;
import dev.idempotency.codec.CodecContext.Purpose;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredAnswer;

/**
 * Serialises headers and body into the bytes that the codec encodes. The first byte is
 * the format's version: rows of an earlier release stay readable.
 */
public record AnswerFormat(ResponseCodec codec) {

	private static final byte VERSION = 1;

	/**
	 * Writes an answer.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param answer the answer
	 * @param timeToLive the time that it may be given out
	 * @return the stored content
	 */
	public StoredAnswer encode(Identity identity, byte[] fingerprint, Answer answer, Duration timeToLive) {
		byte[] body = answer.body();
		if (body == null) {
			return new StoredAnswer(answer.status(), null);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			out.writeShort(answer.headers().size());
			for (HeaderField field : answer.headers()) {
				out.writeUTF(field.name());
				out.writeUTF(field.value());
				out.writeBoolean(field.added());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new StoredAnswer(answer.status(),
				encode(context(identity, fingerprint, answer.status(), timeToLive), bytes.toByteArray(), body));
	}

	/**
	 * The library's own codec takes the pieces as they are: a body is as large as its
	 * limit allows.
	 */
	private byte[] encode(CodecContext context, byte[] head, byte[] body) {
		if (this.codec instanceof EnvelopeCodec own) {
			return own.encode(context, head, body);
		}
		byte[] content = Arrays.copyOf(head, head.length + body.length);
		System.arraycopy(body, 0, content, head.length, body.length);
		return this.codec.encode(context, content);
	}

	/**
	 * Reads an answer.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param stored the stored content
	 * @return the answer
	 * @throws NotReplayableException if there is nothing to read, or it cannot be read
	 */
	public Answer decode(Identity identity, byte[] fingerprint, StoredAnswer stored) {
		byte[] content = stored.content();
		if (content == null) {
			throw new NotReplayableException(null);
		}
		CodecContext context = context(identity, fingerprint, stored.status(), null);
		ByteArrayInputStream bytes = (this.codec instanceof EnvelopeCodec own) ? own.open(context, content)
				: new ByteArrayInputStream(this.codec.decode(context, content));
		try (DataInputStream in = new DataInputStream(bytes)) {
			if (in.readByte() != VERSION) {
				throw new IOException("Unknown format of a stored answer");
			}
			int count = in.readUnsignedShort();
			List<HeaderField> headers = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				headers.add(new HeaderField(in.readUTF(), in.readUTF(), in.readBoolean()));
			}
			return new Answer(stored.status(), headers, bytes.readAllBytes());
		}
		catch (IOException ex) {
			throw new NotReplayableException(ex);
		}
	}

	private static CodecContext context(Identity identity, byte[] fingerprint, int status,
			@Nullable Duration timeToLive) {
		return new CodecContext(Purpose.ANSWER, identity.digest(), fingerprint, status, timeToLive);
	}

}
