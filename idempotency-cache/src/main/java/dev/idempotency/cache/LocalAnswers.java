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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.caffeine.CaffeineCache;

import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

/**
 * The records that this node has at hand.
 */
public final class LocalAnswers {

	/**
	 * The name of the cache.
	 */
	public static final String NAME = "idempotency";

	private final CaffeineCache cache;

	private final Duration maxAge;

	private final Ticker ticker;

	private final InstantSource wallClock;

	/**
	 * Creates a cache.
	 * @param maximumSize the number of records it holds
	 * @param maxAge the longest time for which it holds a record: so long a record that
	 * is deleted elsewhere may still be given out
	 * @param ticker measures time
	 */
	public LocalAnswers(long maximumSize, Duration maxAge, Ticker ticker) {
		this(maximumSize, maxAge, ticker, InstantSource.system());
	}

	/**
	 * Creates a cache as {@link #LocalAnswers(long, Duration, Ticker)} does.
	 * @param wallClock measures the time that passes while the machine is suspended, in
	 * which the ticker may stand still
	 */
	LocalAnswers(long maximumSize, Duration maxAge, Ticker ticker, InstantSource wallClock) {
		this.maxAge = maxAge;
		this.ticker = ticker;
		this.wallClock = wallClock;
		this.cache = new CaffeineCache(NAME,
				Caffeine.newBuilder()
					.maximumSize(maximumSize)
					.expireAfter(Expiry.writing((identity, value) -> left(((Held) value).live())))
					.ticker(ticker)
					.recordStats()
					.build(),
				false);
	}

	private Duration left(LiveRecord live) {
		return Duration.ofNanos(Math.max(live.left(this.ticker.read()), 0));
	}

	/**
	 * The deadline decides, not what is left when it is put: a thread may be stopped in
	 * between.
	 */
	@Nullable StoredRecord find(Identity identity) {
		Held held = this.cache.get(identity, Held.class);
		return (held != null && held.live().left(this.ticker.read()) > 0
				&& this.wallClock.instant().isBefore(held.end())) ? held.live().stored() : null;
	}

	void put(Identity identity, LiveRecord live) {
		long now = this.ticker.read();
		if (live.left(now) > 0) {
			LiveRecord kept = live.atMost(this.maxAge, now);
			this.cache.put(identity, new Held(kept, this.wallClock.instant().plusNanos(kept.left(now))));
		}
	}

	void evict(Identity identity) {
		this.cache.evictIfPresent(identity);
	}

	void clear() {
		this.cache.invalidate();
	}

	/**
	 * The cache behind, for its statistics.
	 * @return the cache
	 */
	public Cache<Object, Object> nativeCache() {
		return this.cache.getNativeCache();
	}

	/**
	 * A record, which has to be alive by both clocks.
	 *
	 * @param live the record
	 * @param end the time at which its life is over by the clock on the wall
	 */
	private record Held(LiveRecord live, Instant end) {
	}

}
