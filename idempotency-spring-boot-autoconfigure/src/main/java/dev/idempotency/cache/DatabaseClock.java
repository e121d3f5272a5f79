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
package dev.idempotency.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * Translates between the database's clock and {@link System#nanoTime()}, without a
 * statement for each translation. The clock is read now and then; a reading lies
 * somewhere between the moment when it was asked for and the moment when it was there. In
 * doubt the translation is early: what ends, ends too soon rather than too late.
 */
final class DatabaseClock {

	/**
	 * How long a reading is good for. The two clocks drift apart by some milliseconds in
	 * that time, if nobody sets the database's.
	 */
	static final Duration TRUST = Duration.ofMinutes(1);

	private final Supplier<Instant> source;

	private final LongSupplier nanoTime;

	private volatile @Nullable Reading reading;

	DatabaseClock(Supplier<Instant> source, LongSupplier nanoTime) {
		this.source = source;
		this.nanoTime = nanoTime;
	}

	/**
	 * What the database's clock shows then, or a little less.
	 */
	Instant toInstant(long nanos) {
		Reading current = current();
		return current.time().plusNanos(nanos - current.after());
	}

	/**
	 * When the database's clock shows that, or a little before.
	 */
	long toNanos(Instant time) {
		Reading current = current();
		return current.before() + Duration.between(current.time(), time).toNanos();
	}

	private Reading current() {
		Reading known = this.reading;
		return isFresh(known) ? known : renew();
	}

	private synchronized Reading renew() {
		Reading known = this.reading;
		if (isFresh(known)) {
			return known;
		}
		long before = this.nanoTime.getAsLong();
		Instant time = this.source.get();
		Reading renewed = new Reading(time, before, this.nanoTime.getAsLong());
		this.reading = renewed;
		return renewed;
	}

	@Contract("null -> false")
	private boolean isFresh(@Nullable Reading known) {
		return known != null && this.nanoTime.getAsLong() - known.before() <= TRUST.toNanos();
	}

	/**
	 * A look at the clock.
	 *
	 * @param time what it showed
	 * @param before when it was asked
	 * @param after when it had answered
	 */
	private record Reading(Instant time, long before, long after) {
	}

}
