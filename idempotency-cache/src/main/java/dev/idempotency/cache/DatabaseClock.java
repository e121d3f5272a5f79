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
import java.time.InstantSource;
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
	 * Time for which a reading is trusted. The two clocks drift apart by some
	 * milliseconds in that time, unless the database's is set.
	 */
	static final Duration TRUST = Duration.ofMinutes(1);

	/**
	 * Greatest tolerated drift between the two clocks of this machine since a reading.
	 */
	private static final Duration SUSPENSION = Duration.ofSeconds(1);

	private final Supplier<Instant> source;

	private final LongSupplier nanoTime;

	private final InstantSource wallClock;

	private volatile @Nullable Reading reading;

	DatabaseClock(Supplier<Instant> source, LongSupplier nanoTime) {
		this(source, nanoTime, InstantSource.system());
	}

	DatabaseClock(Supplier<Instant> source, LongSupplier nanoTime, InstantSource wallClock) {
		this.source = source;
		this.nanoTime = nanoTime;
		this.wallClock = wallClock;
	}

	/**
	 * Returns the time of the database's clock at a reading of the local clock, or a time
	 * shortly before it.
	 */
	Instant toInstant(long nanos) {
		Reading current = current();
		return current.time().plusNanos(nanos - current.after());
	}

	/**
	 * Returns the local reading for a time of the database's clock, or a reading shortly
	 * before it.
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
		Instant wall = this.wallClock.instant();
		long before = this.nanoTime.getAsLong();
		Instant time = this.source.get();
		Reading renewed = new Reading(time, before, this.nanoTime.getAsLong(), wall);
		this.reading = renewed;
		return renewed;
	}

	/**
	 * The suspension is detected by the wall clock, since the other may stand still
	 * meanwhile.
	 */
	@Contract("null -> false")
	private boolean isFresh(@Nullable Reading known) {
		if (known == null) {
			return false;
		}
		Duration elapsed = Duration.ofNanos(this.nanoTime.getAsLong() - known.before());
		Duration onTheWall = Duration.between(known.wall(), this.wallClock.instant());
		return elapsed.compareTo(TRUST) <= 0 && onTheWall.minus(elapsed).abs().compareTo(SUSPENSION) < 0;
	}

	/**
	 * A look at the clock.
	 *
	 * @param time the time it showed
	 * @param before the time at which it was asked
	 * @param after the time at which it had answered
	 * @param wall the time of the wall clock before
	 */
	private record Reading(Instant time, long before, long after, Instant wall) {
	}

}
