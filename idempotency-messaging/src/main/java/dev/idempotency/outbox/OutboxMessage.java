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

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * An event to be published.
 *
 * @param destination a topic of Kafka; for RabbitMQ a queue, or an exchange and a routing
 * key with a slash between them; 1 to 255 characters
 * @param payload the content of the event, written as JSON; an array of bytes is sent as
 * it is
 * @param key the ordering key of events, up to 255 characters; {@code null} for no order
 * @param type its type, up to 255 characters; {@code null} for the simple name of the
 * payload's class
 * @param id the id by which receivers recognise a second delivery, up to 255 characters;
 * {@code null} for a new UUID of version 7 (RFC 9562)
 * @param headers more headers of the message
 */
public record OutboxMessage(String destination, Object payload, @Nullable String key, @Nullable String type,
		@Nullable String id, Map<String, String> headers) {

	private static final int MAX_LENGTH = 255;

	public OutboxMessage {
		requireText(destination, "destination");
		Objects.requireNonNull(payload, "payload");
		requireText(key, "key");
		requireText(type, "type");
		requireText(id, "id");
		headers = Map.copyOf(headers);
	}

	private static void requireText(@Nullable String text, String name) {
		if (text != null && (text.isBlank() || text.length() > MAX_LENGTH)) {
			throw new IllegalArgumentException("The " + name + " of an event has " + text.length()
					+ " characters or is blank. Write 1 to " + MAX_LENGTH + " characters.");
		}
	}

	/**
	 * An event without a key.
	 * @param destination its destination
	 * @param payload the content of the event
	 * @return the event
	 */
	public static OutboxMessage to(String destination, Object payload) {
		return new OutboxMessage(destination, payload, null, null, null, Map.of());
	}

	/**
	 * The event with a key.
	 * @param value the key
	 * @return another event
	 */
	public OutboxMessage withKey(String value) {
		return new OutboxMessage(this.destination, this.payload, value, this.type, this.id, this.headers);
	}

	/**
	 * The event with a type.
	 * @param value the type
	 * @return another event
	 */
	public OutboxMessage withType(String value) {
		return new OutboxMessage(this.destination, this.payload, this.key, value, this.id, this.headers);
	}

	/**
	 * The event with an id.
	 * @param value the id
	 * @return another event
	 */
	public OutboxMessage withId(String value) {
		return new OutboxMessage(this.destination, this.payload, this.key, this.type, value, this.headers);
	}

	/**
	 * The event with one more header.
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
	 */
	public String typeName() {
		return (this.type != null) ? this.type : this.payload.getClass().getSimpleName();
	}

}
