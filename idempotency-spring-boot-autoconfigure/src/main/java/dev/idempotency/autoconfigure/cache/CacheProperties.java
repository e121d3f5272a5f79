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

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

import static dev.idempotency.autoconfigure.PropertyRules.TEN_YEARS;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

/**
 * Settings of the caches, which replay answers without the database.
 *
 * @param maximumEntrySize Largest stored answer that is cached; larger ones are read from
 * the database.
 * @param local Cache of answers within this node.
 * @param shared Cache of answers that all nodes share.
 */
@ConfigurationProperties("idempotency.cache")
record CacheProperties(@DefaultValue("16KB") DataSize maximumEntrySize, @DefaultValue Local local,
		@DefaultValue Shared shared) {

	public CacheProperties {
		requireSize(maximumEntrySize, "cache.maximum-entry-size", "16KB");
	}

	/**
	 * Settings of the cache of this node.
	 *
	 * @param enabled Whether this node keeps answers in memory, with Caffeine.
	 * @param maximumSize Maximum number of answers kept in the local cache.
	 * @param maxAge Longest time that the local cache keeps an answer. An answer that was
	 * purged on another node may be replayed for as long.
	 */
	public record Local(@DefaultValue("false") boolean enabled, @DefaultValue("10000") long maximumSize,
			@DefaultValue("5m") Duration maxAge) {

		public Local {
			require(maximumSize >= 1, "cache.local.maximum-size", maximumSize, "Write a number from 1.");
			requireAge(maxAge, "cache.local.max-age", "5m");
		}

	}

	/**
	 * Settings of the cache that all nodes share.
	 *
	 * @param enabled Whether answers are kept in a cache of the application's
	 * CacheManager.
	 * @param name Name of the shared cache in the CacheManager.
	 * @param maxAge Longest time that an answer is replayed from the shared cache.
	 * @param timeout Longest time that a request waits for the shared cache before it
	 * asks the database.
	 */
	public record Shared(@DefaultValue("false") boolean enabled, @DefaultValue("idempotency") String name,
			@DefaultValue("1h") Duration maxAge, @DefaultValue("100ms") Duration timeout) {

		public Shared {
			require(!name.isBlank(), "cache.shared.name", name, "Write the name of a cache such as idempotency.");
			requireAge(maxAge, "cache.shared.max-age", "1h");
			requirePositive(timeout, "cache.shared.timeout", "100ms");
			require(timeout.compareTo(Duration.ofMinutes(1)) <= 0, "cache.shared.timeout", timeout,
					"Write at most 1m.");
		}

	}

	private static void requireAge(Duration age, String property, String example) {
		requirePositive(age, property, example);
		require(age.compareTo(TEN_YEARS) <= 0, property, age, "Write at most 3650d.");
	}

}
