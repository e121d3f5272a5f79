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
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

import org.springframework.util.ClassUtils;

import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.DigestKeys;

/**
 * Headers and payload as they are stored: a byte with the format's version, the length of
 * the headers, the headers as JSON, the payload. Encoded as answers are: what the
 * application encrypts at rest is encrypted here, too.
 */
record ContentFormat(JsonMapper mapper, ContentCodec codec, String source) {

	private static final byte VERSION = 1;

	private static final int PREFIX = Byte.BYTES + Integer.BYTES;

	ContentFormat {
		mapper = mapper.rebuild().addModule(new SimpleModule().setSerializerModifier(new ForeignJson())).build();
	}

	/**
	 * Creates an event as its sender will get it.
	 */
	OutgoingEvent event(String id, OutboxMessage message, Instant time) {
		return new OutgoingEvent(id, message.destination(), message.key(), message.typeName(), this.source, time,
				contentType(message), message.headers(), payload(message));
	}

	byte[] write(OutgoingEvent event) {
		byte[] headers = this.mapper.writeValueAsBytes(new Headers(event.contentType(), event.headers()));
		ByteBuffer content = ByteBuffer.allocate(PREFIX + headers.length + event.payload().length);
		content.put(VERSION).putInt(headers.length).put(headers).put(event.payload());
		return this.codec.encode(Purpose.EVENT, row(event.id(), event.destination()), content.array());
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

	OutgoingEvent read(ClaimedEvent event) {
		byte[] content = this.codec.decode(Purpose.EVENT, row(event.id(), event.destination()), event.content());
		ByteBuffer buffer = ByteBuffer.wrap(content);
		if (content.length < PREFIX || buffer.get() != VERSION) {
			throw new IllegalStateException("Unknown format of the content of event " + event.id());
		}
		int length = buffer.getInt();
		Headers headers = this.mapper.readerFor(Headers.class).readValue(content, PREFIX, length);
		return new OutgoingEvent(event.id(), event.destination(), event.key(), event.type(), this.source,
				event.publishedAt(), headers.contentType(), headers.values(),
				Arrays.copyOfRange(content, PREFIX + length, content.length));
	}

	private static byte[] row(String id, String destination) {
		return DigestKeys.digest(destination, id);
	}

	record Headers(String contentType, Map<String, String> values) {
	}

	/**
	 * Refuses the JSON trees of other libraries, anywhere in a payload, if the
	 * application has no serializer for them: they would be written by their getters,
	 * without their content.
	 */
	private static final class ForeignJson extends ValueSerializerModifier {

		private static final Set<String> TYPES = Set.of("com.fasterxml.jackson.databind.JsonSerializable",
				"com.google.gson.JsonElement", "jakarta.json.JsonValue", "org.json.JSONObject", "org.json.JSONArray");

		@Override
		public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier bean,
				ValueSerializer<?> serializer) {
			return (isForeign(bean.getBeanClass()) && isDefault(serializer)) ? new Refusing() : serializer;
		}

		private static boolean isForeign(Class<?> type) {
			return Stream
				.concat(Stream.<@Nullable Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass),
						ClassUtils.getAllInterfacesForClassAsSet(type).stream())
				.anyMatch((each) -> TYPES.contains(each.getName()));
		}

		private static boolean isDefault(ValueSerializer<?> serializer) {
			return serializer.getClass().getName().startsWith("tools.jackson.databind.");
		}

	}

	/**
	 * Refuses a value.
	 */
	private static final class Refusing extends ValueSerializer<Object> {

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			context.reportBadDefinition(value.getClass(),
					value.getClass().getName() + " is a tree of another JSON library");
		}

	}

}
