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

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Resolves the key of a message. Declared as a bean it replaces the default, which takes
 * the first of
 * <ol>
 * <li>id and source of
 * <a href="https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md">
 * CloudEvents</a> in binary mode: {@code ce_id} and {@code ce_source}, {@code ce-id} and
 * {@code ce-source}, or {@code cloudEvents:id} and {@code cloudEvents:source};</li>
 * <li>the headers that {@code idempotency.messaging.key-headers} names, by default the
 * {@code id} of Debezium's outbox events and {@code message-id}, which is a property of
 * AMQP messages;</li>
 * <li>the position in Kafka's log, if {@code idempotency.messaging.offset-keys} is
 * on.</li>
 * </ol>
 * An {@link dev.idempotency.Idempotent#key() expression} on a listener takes precedence.
 */
@FunctionalInterface
public interface MessageKeyResolver {

	/**
	 * Resolves the key.
	 * @param message the message
	 * @return the key, the same on every delivery of the message, and another one for
	 * each {@linkplain IncomingMessage#fragment() fragment}; {@code null} or empty if it
	 * has none
	 */
	@Nullable String resolve(IncomingMessage message);

	/**
	 * Creates the default resolver.
	 * @param names the headers that are tried in turn if a message is not a CloudEvent
	 * @return the resolver
	 */
	static MessageKeyResolver ofHeaders(List<String> names) {
		return new HeaderKeys(List.copyOf(names));
	}

}
