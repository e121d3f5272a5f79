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

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * An event on its way to a broker.
 *
 * @param id the message's id
 * @param destination its destination
 * @param key its ordering key, {@code null} if it has none
 * @param type its type
 * @param source the application that it comes from, as a URI reference
 * @param time the time at which it was published, by the database's clock
 * @param contentType the media type of the payload
 * @param headers headers that the application has added
 * @param payload the body of the message
 */
public record OutgoingEvent(String id, String destination, @Nullable String key, String type, String source,
		Instant time, String contentType, Map<String, String> headers, byte[] payload) {
}
