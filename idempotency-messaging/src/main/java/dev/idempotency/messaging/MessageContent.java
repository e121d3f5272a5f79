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

import org.jspecify.annotations.Nullable;

/**
 * Selects the content of a message that distinguishes it from another one with the same
 * key. Declared as a bean it replaces the default, which takes the payload.
 * <p>
 * Bytes and text count as they are. Of an object that Kafka's deserializer has made, the
 * values count that are there, as JSON: a field that was added to its class since and has
 * no value changes nothing. For objects that Jackson does not write, such as Avro's,
 * return for instance their text.
 */
@FunctionalInterface
public interface MessageContent {

	/**
	 * Returns the content of a message.
	 * @param message the message
	 * @return bytes, text, or anything that can be written as JSON; {@code null} is a
	 * content like any other, for a tombstone
	 */
	@Nullable Object of(IncomingMessage message);

}
