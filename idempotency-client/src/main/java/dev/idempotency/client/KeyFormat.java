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
package dev.idempotency.client;

import java.time.Clock;
import java.util.UUID;

import dev.idempotency.engine.identity.TimeOrderedIds;

/**
 * Formats of generated keys.
 */
public enum KeyFormat {

	/**
	 * Ordered by time: keys that are made one after the other are neighbours in the other
	 * system's index.
	 */
	UUID_V7,

	/**
	 * Random: a key does not reveal its time of creation.
	 */
	UUID_V4;

	/**
	 * Creates a generator of such keys.
	 * @return a generator that any number of threads may use
	 */
	public IdempotencyKeyGenerator newGenerator() {
		TimeOrderedIds ids = new TimeOrderedIds(Clock.systemUTC()::millis);
		return switch (this) {
			case UUID_V7 -> () -> ids.next().toString();
			case UUID_V4 -> () -> UUID.randomUUID().toString();
		};
	}

}
