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

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * An event to be published. Its limits come from AMQP 0-9-1, sections 4.2.3 and 4.2.5.3,
 * and the same for all brokers.
 *
 * @param destination a topic of Kafka; for RabbitMQ a queue, or an exchange and a routing
 * key with a slash between them; 1 to 255 bytes in UTF-8
 * @param payload the content of the event, written as JSON; an array of bytes is sent as
 * it is
 * @param key the ordering key of events, 1 to 255 bytes in UTF-8; {@code null} for no
 * order
 * @param type its type, 1 to 255 bytes in UTF-8; {@code null} for the simple name of the
 * payload's class, which must be one of the application
 * @param id the id by which receivers recognise a second delivery, 1 to 255 bytes in
 * UTF-8; {@code null} for a new UUID of version 7 (RFC 9562)
 * @param headers more headers of the message, with names of 1 to 255 bytes in UTF-8, and
 * 64 KB for all names and values
 */
public record OutboxMessage(String destination, Object payload, @Nullable String key, @Nullable String type,
		@Nullable String id, Map<String, String> headers) {

	static final int MAX_BYTES = 255;

	private static final int MAX_HEADER_BYTES = 64 * 1024;

	public OutboxMessage {
		requireText(destination, "destination");
		Objects.requireNonNull(payload, "payload");
		requireText(key, "key");
		requireText(type, "type");
		requireText(id, "id");
		headers = Map.copyOf(headers);
		requireFitting(headers);
	}

	private static void requireText(@Nullable String text, String name) {
		if (text != null && (text.isBlank() || bytes(text) > MAX_BYTES)) {
			throw new IllegalArgumentException("The " + name + " of an event has " + bytes(text)
					+ " bytes or is blank. Write 1 to " + MAX_BYTES + " bytes in UTF-8.");
		}
	}

	private static void requireFitting(Map<String, String> headers) {
		int size = 0;
		for (Map.Entry<String, String> header : headers.entrySet()) {
			requireText(header.getKey(), "name of a header");
			size += bytes(header.getKey()) + bytes(header.getValue());
		}
		if (size > MAX_HEADER_BYTES) {
			throw new IllegalArgumentException("The headers of an event have " + size + " bytes. Write up to "
					+ MAX_HEADER_BYTES + " bytes in UTF-8, and the rest into the payload.");
		}
	}

	private static int bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

	/**
	 * Creates an event without a key.
	 * @param destination its destination
	 * @param payload the content of the event
	 * @return the event
	 */
	public static OutboxMessage to(String destination, Object payload) {
		return new OutboxMessage(destination, payload, null, null, null, Map.of());
	}

	/**
	 * Returns this event with a key.
	 * @param value the key
	 * @return another event
	 */
	public OutboxMessage withKey(String value) {
		return new OutboxMessage(this.destination, this.payload, value, this.type, this.id, this.headers);
	}

	/**
	 * Returns this event with a type.
	 * @param value the type
	 * @return another event
	 */
	public OutboxMessage withType(String value) {
		return new OutboxMessage(this.destination, this.payload, this.key, value, this.id, this.headers);
	}

	/**
	 * Returns this event with an id.
	 * @param value the id
	 * @return another event
	 */
	public OutboxMessage withId(String value) {
		return new OutboxMessage(this.destination, this.payload, this.key, this.type, value, this.headers);
	}

	/**
	 * Returns this event with one more header.
	 * @param name the header's name
	 * @param value its value
	 * @return another event
	 */
	public OutboxMessage withHeader(String name, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.headers);
		more.put(name, value);
		return new OutboxMessage(this.destination, this.payload, this.key, this.type, this.id, more);
	}

	/**
	 * Returns the type of the event.
	 * @return the type, or the simple name of the payload's class
	 * @throws IllegalArgumentException if there is no type, and the name of the class
	 * says nothing about the event, or would change: a class of the JDK, a collection, an
	 * array, a class without a name or a proxy
	 */
	public String typeName() {
		if (this.type != null) {
			return this.type;
		}
		Class<?> payloadType = this.payload.getClass();
		if (!isNamed(payloadType) || this.payload instanceof Map || this.payload instanceof Iterable) {
			throw new IllegalArgumentException(
					"The event for '" + this.destination + "' has no type, and its payload, a " + payloadType.getName()
							+ ", does not give it one. Set a type with withType(\"ride-booked\") or "
							+ "@OutboxEvent(type = \"ride-booked\"), or publish an instance of a named class.");
		}
		return payloadType.getSimpleName();
	}

	/**
	 * Returns whether an application has given a class its name.
	 */
	private static boolean isNamed(Class<?> type) {
		ClassLoader loader = type.getClassLoader();
		return loader != null && loader != ClassLoader.getPlatformClassLoader() && !type.isArray()
				&& !type.isAnonymousClass() && !type.isHidden() && !type.isSynthetic() && !Proxy.isProxyClass(type)
				&& ClassUtils.getUserClass(type) == type;
	}

}
