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

import org.jspecify.annotations.Nullable;

/**
 * An event that a broker has not accepted yet, and that holds back the later ones of its
 * key.
 *
 * @param id its id
 * @param destination its destination
 * @param key its ordering key, {@code null} if it has none
 * @param type its type
 * @param publishedAt the time at which it was published, by the database's clock
 * @param failures the number of times that it has failed
 * @param retryAt the time at which it is tried again, by the database's clock
 * @param lastError the reason of an {@link EventRefusedException}, or else the class
 * names of the last exception and its causes; never another message, which could quote
 * the payload
 */
public record FailingEvent(String id, String destination, @Nullable String key, String type, Instant publishedAt,
		int failures, Instant retryAt, String lastError) {
}
