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

import dev.idempotency.engine.identity.TimeOrderedIds;

/**
 * Generates keys for outgoing requests. Declare a bean to replace the default,
 * {@link #timeOrdered()}.
 */
@FunctionalInterface
public interface IdempotencyKeyGenerator {

	/**
	 * Generates a key that has never been used before, anywhere.
	 * @return 1 to 255 visible ASCII characters
	 */
	String newKey();

	/**
	 * Creates a generator of UUIDs of version 7 (RFC 9562, section 5.7): close in time,
	 * close in the index of the other system.
	 * @return a generator that any number of threads may use
	 */
	static IdempotencyKeyGenerator timeOrdered() {
		TimeOrderedIds ids = new TimeOrderedIds(Clock.systemUTC()::millis);
		return () -> ids.next().toString();
	}

}
