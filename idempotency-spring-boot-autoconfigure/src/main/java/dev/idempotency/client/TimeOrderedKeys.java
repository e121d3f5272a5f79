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

import java.security.SecureRandom;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * UUIDs of version 7 (RFC 9562, section 5.7), each greater than the one before: 48 bits
 * of milliseconds, a counter in {@code rand_a} that starts anywhere in its lower half
 * with each millisecond (section 6.2, method 1), and 62 random bits. When the counter
 * overflows, or the clock goes back, the time in the key runs ahead of the clock.
 */
final class TimeOrderedKeys implements IdempotencyKeyGenerator {

	private static final int COUNTER_BITS = 12;

	private static final long COUNTER_MASK = (1 << COUNTER_BITS) - 1;

	private static final int START_BITS = COUNTER_BITS - 1;

	private static final long VERSION = 0x7000;

	private static final long VARIANT = 1L << 63;

	private static final long VARIANT_MASK = -1L >>> 2;

	private final SecureRandom random = new SecureRandom();

	private final Clock clock;

	/**
	 * Milliseconds and counter of the last key, as one number of 60 bits.
	 */
	private final AtomicLong last = new AtomicLong();

	TimeOrderedKeys() {
		this(Clock.systemUTC());
	}

	TimeOrderedKeys(Clock clock) {
		this.clock = clock;
	}

	@Override
	public String newKey() {
		long anew = (this.clock.millis() << COUNTER_BITS) | this.random.nextInt(1 << START_BITS);
		long next = this.last.updateAndGet((previous) -> Math.max(previous + 1, anew));
		long high = ((next & ~COUNTER_MASK) << (16 - COUNTER_BITS)) | VERSION | (next & COUNTER_MASK);
		return new UUID(high, VARIANT | (this.random.nextLong() & VARIANT_MASK)).toString();
	}

}
