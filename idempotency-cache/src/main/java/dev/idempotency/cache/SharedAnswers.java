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
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;

import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;

/**
 * The records that all nodes have at hand, in any cache of Spring's. Its keys are the
 * digests of identities, its values bytes. Each value says when it ends by the database's
 * clock, regardless of the cache's own expiry.
 */
public final class SharedAnswers {

	private final GuardedCache cache;

	private final DatabaseClock clock;

	private final Duration maxAge;

	/**
	 * Creates a cache.
	 * @param cache the cache of the values
	 * @param store whose clock ends them
	 * @param maxAge the longest time for which a record is given out
	 * @param timeout the time that a request waits for the cache
	 * @param notifications the listeners of failures of the cache
	 */
	public SharedAnswers(Cache cache, IdempotencyStore store, Duration maxAge, Duration timeout,
			NotificationPublisher notifications) {
		this.cache = new GuardedCache(cache, timeout, notifications, System::nanoTime);
		this.clock = new DatabaseClock(store::now, System::nanoTime);
		this.maxAge = maxAge;
	}

	@Nullable LiveRecord find(Identity identity) {
		LiveRecord found = this.cache.ask((cache) -> {
			Cache.ValueWrapper value = cache.get(key(identity));
			SharedEntry entry = (value != null) ? SharedEntry.read(value.get()) : null;
			return (entry != null) ? new LiveRecord(entry.stored(), this.clock.toNanos(entry.end())) : null;
		});
		return (found != null && found.left(System.nanoTime()) > 0) ? found : null;
	}

	void put(Identity identity, LiveRecord live) {
		LiveRecord kept = live.atMost(this.maxAge, System.nanoTime());
		this.cache.tell((cache) -> {
			if (kept.left(System.nanoTime()) > 0) {
				cache.put(key(identity), SharedEntry.write(kept.stored(), this.clock.toInstant(kept.deadline())));
			}
		});
	}

	void evict(Identity identity) {
		this.cache.require((cache) -> cache.evictIfPresent(key(identity)));
	}

	void clear() {
		this.cache.require(Cache::invalidate);
	}

	void close() {
		this.cache.close();
	}

	/**
	 * Text, because a key of bytes is not equal to another in every cache.
	 */
	private static String key(Identity identity) {
		return HexFormat.of().formatHex(identity.digest());
	}

}
