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
package dev.idempotency.autoconfigure.cache;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.ResponseCache;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * An {@link ResponseCache} in the memory of this node, with Caffeine.
 */
final class LocalResponses implements ResponseCache {

	/**
	 * Size in bytes of the largest stored response that is kept. Larger ones are read
	 * from the database, so that few of them do not fill the memory.
	 */
	static final int MAXIMUM_ENTRY_SIZE = 16 * 1024;

	/**
	 * Longest time that a response is kept, since one that was purged on another node may
	 * be replayed for that long.
	 */
	private static final Duration MAXIMUM_AGE = Duration.ofMinutes(5);

	private final Cache<Identity, Held> cache;

	private final Duration maxAge;

	private final Ticker ticker;

	private final InstantSource wallClock;

	LocalResponses(long maximumSize) {
		this(maximumSize, MAXIMUM_AGE, Ticker.systemTicker(), InstantSource.system());
	}

	/**
	 * Creates a cache with the given clocks.
	 * @param maximumSize the maximum number of responses
	 * @param maxAge the longest time for which a response is kept
	 * @param ticker the clock of {@link #put}'s deadline
	 * @param wallClock measures the time that passes while the machine is suspended, when
	 * the ticker may stop
	 */
	LocalResponses(long maximumSize, Duration maxAge, Ticker ticker, InstantSource wallClock) {
		this.maxAge = maxAge;
		this.ticker = ticker;
		this.wallClock = wallClock;
		this.cache = Caffeine.newBuilder()
			.maximumSize(maximumSize)
			.expireAfter(Expiry.<Identity, Held>writing((identity, held) -> Duration.ofNanos(left(held.deadline()))))
			.ticker(ticker)
			.recordStats()
			.build();
	}

	/**
	 * The deadline decides, not the expiry of the cache: a thread may be paused between
	 * the two.
	 */
	@Override
	public @Nullable StoredRecord find(Identity identity) {
		Held held = this.cache.getIfPresent(identity);
		return (held != null && left(held.deadline()) > 0 && this.wallClock.instant().isBefore(held.end()))
				? held.stored() : null;
	}

	@Override
	public void put(Identity identity, StoredRecord stored, long deadline) {
		long life = Math.min(left(deadline), this.maxAge.toNanos());
		if (life > 0 && size(stored.response()) <= MAXIMUM_ENTRY_SIZE) {
			this.cache.put(identity,
					new Held(stored, this.ticker.read() + life, this.wallClock.instant().plusNanos(life)));
		}
	}

	/**
	 * Returns the remaining life in nanoseconds.
	 */
	private long left(long deadline) {
		return Math.max(deadline - this.ticker.read(), 0);
	}

	private static long size(EncodedResponse answer) {
		return (answer.content() != null) ? answer.content().length : 0;
	}

	@Override
	public void evict(Identity identity) {
		this.cache.invalidate(identity);
	}

	@Override
	public void clear() {
		this.cache.invalidateAll();
	}

	/**
	 * Returns the underlying cache, for its statistics.
	 */
	Cache<Identity, ?> nativeCache() {
		return this.cache;
	}

	/**
	 * A cached record, which must be alive by both clocks.
	 *
	 * @param stored the record
	 * @param deadline the end of its life by the ticker
	 * @param end the end of its life by the wall clock
	 */
	private record Held(StoredRecord stored, long deadline, Instant end) {
	}

}
