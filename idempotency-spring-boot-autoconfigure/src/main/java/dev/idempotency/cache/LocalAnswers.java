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

	/**
	 * Create a cache.
	 * @param maximumSize how many records it holds
	 * @param maxAge how long it holds a record at the most: so long a record that is
	 * deleted elsewhere may still be given out
	 * @param ticker measures time
	 */
	public LocalAnswers(long maximumSize, Duration maxAge, Ticker ticker) {
		this.maxAge = maxAge;
		this.ticker = ticker;
		this.cache = new CaffeineCache(NAME,
				Caffeine.newBuilder()
					.maximumSize(maximumSize)
					.expireAfter(Expiry.writing((identity, value) -> left((LiveRecord) value)))
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
		LiveRecord live = this.cache.get(identity, LiveRecord.class);
		return (live != null && live.left(this.ticker.read()) > 0) ? live.stored() : null;
	}

	void put(Identity identity, LiveRecord live) {
		long now = this.ticker.read();
		if (live.left(now) > 0) {
			this.cache.put(identity, live.atMost(this.maxAge, now));
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

}
