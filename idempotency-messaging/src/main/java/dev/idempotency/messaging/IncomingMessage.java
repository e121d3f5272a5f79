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
package dev.idempotency.messaging;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as its broker delivered it.
 *
 * @param source the queue or the topic; the main topic of a record on a retry topic
 * @param headers the headers as text: bytes as UTF-8, or in hexadecimal after {@code 0x}
 * if they are not UTF-8; the last value of a repeated header. The properties
 * {@code message-id}, {@code correlation-id} and {@code type} of AMQP are included under
 * these names
 * @param payload the value of a Kafka record as its deserializer made it, {@code null}
 * for a tombstone; the bytes of an AMQP body
 * @param position the first position of the message in Kafka's log, {@code null} with
 * AMQP and unless {@code idempotency.messaging.offset-keys} is on
 * @param fragment the place in a batch that was sent as one AMQP message, whose parts
 * have the headers of the first; 0 for the first, and for any other message
 */
public record IncomingMessage(String source, Map<String, String> headers, @Nullable Object payload,
		@Nullable String position, int fragment) {

	public IncomingMessage {
		headers = Map.copyOf(headers);
	}

	/**
	 * Reads a header that is sent as bytes. Bytes that are not UTF-8, such as the bytes
	 * of a number, are written in hexadecimal: as text, different values could be equal,
	 * and a message would be mistaken for a duplicate of another one.
	 */
	static String text(byte[] header) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(header)).toString();
		}
		catch (CharacterCodingException ex) {
			return "0x" + HexFormat.of().formatHex(header);
		}
	}

}
