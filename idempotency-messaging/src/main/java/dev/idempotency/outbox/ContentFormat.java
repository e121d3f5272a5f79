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
package dev.idempotency.outbox;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.identity.IdentityFactory;

/**
 * Headers and payload as they are stored: a byte with the format's version, the length of
 * the headers, the headers as JSON, the payload. Encoded as answers are: what the
 * application encrypts at rest is encrypted here, too.
 */
record ContentFormat(JsonMapper mapper, ResponseCodec codec) {

	private static final byte VERSION = 1;

	private static final int PREFIX = Byte.BYTES + Integer.BYTES;

	byte[] write(String id, OutboxMessage message) {
		byte[] payload = payload(message);
		byte[] headers = this.mapper.writeValueAsBytes(new Headers(contentType(message), message.headers()));
		ByteBuffer content = ByteBuffer.allocate(PREFIX + headers.length + payload.length);
		content.put(VERSION).putInt(headers.length).put(headers).put(payload);
		return this.codec.encode(context(id, message.destination()), content.array());
	}

	private byte[] payload(OutboxMessage message) {
		if (message.payload() instanceof byte[] bytes) {
			return bytes;
		}
		try {
			return this.mapper.writeValueAsBytes(message.payload());
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("The payload of an event for '" + message.destination() + "', a "
					+ message.payload().getClass().getName() + ", cannot be written as JSON: " + ex.getOriginalMessage()
					+ ". Publish a value that Jackson writes, such as a record.", ex);
		}
	}

	private static String contentType(OutboxMessage message) {
		return (message.payload() instanceof byte[]) ? "application/octet-stream" : "application/json";
	}

	OutgoingEvent read(ClaimedEvent event, String source) {
		byte[] content = this.codec.decode(context(event.id(), event.destination()), event.content());
		ByteBuffer buffer = ByteBuffer.wrap(content);
		if (content.length < PREFIX || buffer.get() != VERSION) {
			throw new IllegalStateException("Unknown format of the content of event " + event.id());
		}
		int length = buffer.getInt();
		Headers headers = this.mapper.readerFor(Headers.class).readValue(content, PREFIX, length);
		return new OutgoingEvent(event.id(), event.destination(), event.key(), event.type(), source,
				event.publishedAt(), headers.contentType(), headers.values(),
				Arrays.copyOfRange(content, PREFIX + length, content.length));
	}

	/**
	 * Returns the context that authenticated encryption binds a content to.
	 */
	private static ResponseCodec.Context context(String id, String destination) {
		return ResponseCodec.Context.of(Purpose.EVENT, IdentityFactory.digest("outbox", destination, id));
	}

	record Headers(String contentType, Map<String, String> values) {
	}

}
