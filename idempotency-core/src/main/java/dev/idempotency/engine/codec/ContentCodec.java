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

import java.nio.ByteBuffer;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.codec.StoredResponse.Body;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;

/**
 * The format of all stored content of an application. Everything that is encoded is bound
 * to its namespace, so that another application with the same codec does not decode it.
 *
 * @param namespace the name that separates the applications in one database
 * @param codec the codec of the application
 */
public record ContentCodec(String namespace, ResponseCodec codec) {

	private static final byte[] NONE = {};

	/**
	 * Encodes content of a row that belongs to no request.
	 * @param purpose the purpose of the content
	 * @param row a digest that identifies the row among those with this purpose
	 * @param content the content
	 * @return the bytes to store
	 */
	public byte[] encode(Purpose purpose, byte[] row, byte[] content) {
		return this.codec.encode(context(purpose, row, NONE), content);
	}

	/**
	 * Encodes content of an unfinished request.
	 * @param purpose the purpose of the content
	 * @param identity the identity of the request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param content the content
	 * @return the bytes to store
	 */
	public byte[] encode(Purpose purpose, Identity identity, byte[] fingerprint, byte[] content) {
		return this.codec.encode(context(purpose, identity.digest(), fingerprint), content);
	}

	/**
	 * Encodes a response. The library's own codec needs no array of head and body beside
	 * the result, since bodies may be large.
	 */
	byte[] encodeResponse(Identity identity, byte[] fingerprint, int status, Duration timeToLive, byte[] head,
			Body body) {
		Context context = new Context(this.namespace, Purpose.ANSWER, identity.digest(), fingerprint, status,
				timeToLive);
		return (this.codec instanceof EnvelopeCodec own) ? own.encode(context, head, body)
				: this.codec.encode(context, EnvelopeCodec.join(NONE, head, body));
	}

	/**
	 * Decodes content of a row that belongs to no request.
	 * @param purpose the purpose of the content
	 * @param row the digest that identifies the row
	 * @param stored the stored bytes
	 * @return the content
	 * @throws NotReplayableException if it cannot be decoded
	 */
	public byte[] decode(Purpose purpose, byte[] row, byte[] stored) {
		return this.codec.decode(context(purpose, row, NONE), stored);
	}

	/**
	 * Decodes content of an unfinished request.
	 * @param purpose the purpose of the content
	 * @param identity the identity of the request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param stored the stored bytes
	 * @return the content
	 * @throws NotReplayableException if it cannot be decoded
	 */
	public byte[] decode(Purpose purpose, Identity identity, byte[] fingerprint, byte[] stored) {
		return this.codec.decode(context(purpose, identity.digest(), fingerprint), stored);
	}

	/**
	 * Decodes the content of a response, without a copy if it is stored unchanged.
	 */
	ByteBuffer openResponse(Identity identity, byte[] fingerprint, EncodedResponse stored) {
		byte[] content = stored.content();
		if (content == null) {
			throw new NotReplayableException(null);
		}
		if (this.codec instanceof EnvelopeCodec own && own.isUnchanged(content)) {
			return ByteBuffer.wrap(content, 1, content.length - 1);
		}
		return ByteBuffer.wrap(this.codec.decode(
				new Context(this.namespace, Purpose.ANSWER, identity.digest(), fingerprint, stored.status(), null),
				content));
	}

	private Context context(Purpose purpose, byte[] row, byte[] fingerprint) {
		return new Context(this.namespace, purpose, row, fingerprint, 0, null);
	}

}
