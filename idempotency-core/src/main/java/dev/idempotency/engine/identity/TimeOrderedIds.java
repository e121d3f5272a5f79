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
package dev.idempotency.engine.identity;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * UUIDs of version 7 (RFC 9562, section 5.7), each greater than the one before: 48 bits
 * of milliseconds, a counter in {@code rand_a} that starts anywhere in its lower half
 * with each millisecond (section 6.2, method 1), and 62 random bits. When the counter
 * overflows, or the clock goes back, the time in the id runs ahead of the clock.
 */
public final class TimeOrderedIds {

	private static final int COUNTER_BITS = 12;

	private static final long COUNTER_MASK = (1 << COUNTER_BITS) - 1;

	private static final int START_BITS = COUNTER_BITS - 1;

	private static final long VERSION = 0x7000;

	private static final long VARIANT = 1L << 63;

	private static final long VARIANT_MASK = -1L >>> 2;

	private final SecureRandom random = new SecureRandom();

	private final LongSupplier clock;

	/**
	 * Milliseconds and counter of the last id, as one number of 60 bits.
	 */
	private final AtomicLong last = new AtomicLong();

	/**
	 * Creates a generator.
	 * @param clock the clock of the ids, in milliseconds since 1970
	 */
	public TimeOrderedIds(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Returns a new id.
	 * @return an id that is greater than all previous ones
	 */
	public UUID next() {
		long anew = (this.clock.getAsLong() << COUNTER_BITS) | this.random.nextInt(1 << START_BITS);
		long next = this.last.updateAndGet((previous) -> Math.max(previous + 1, anew));
		long high = ((next & ~COUNTER_MASK) << (16 - COUNTER_BITS)) | VERSION | (next & COUNTER_MASK);
		return new UUID(high, VARIANT | (this.random.nextLong() & VARIANT_MASK));
	}

}
