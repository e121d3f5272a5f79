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

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The first event of a key, which this node alone may send.
 *
 * @param position its place in the order of commits
 * @param id its id
 * @param destination its destination
 * @param key its ordering key
 * @param type its type
 * @param content headers and payload as they are stored
 * @param publishedAt the time at which it was published
 * @param age the time since then when it was claimed
 * @param failures the number of times that it has failed
 */
record ClaimedEvent(long position, String id, String destination, @Nullable String key, String type, byte[] content,
		Instant publishedAt, Duration age, int failures) {
}
