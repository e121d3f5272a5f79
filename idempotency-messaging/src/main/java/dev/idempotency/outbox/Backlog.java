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
 * The events of one destination and one key that no broker has accepted yet.
 *
 * @param destination their destination
 * @param key their ordering key, {@code null} for the events without a key
 * @param events the number of events
 * @param refused whether the first of them was refused, and holds back the others
 * @param oldestAt the time at which the oldest was published, by the database's clock
 */
public record Backlog(String destination, @Nullable String key, int events, boolean refused, Instant oldestAt) {

	/**
	 * Greatest number of events that are counted.
	 */
	public static final int COUNTED = 10_000;

}
