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
import org.springframework.util.unit.DataSize;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

/**
 * Settings of the cache, which replays answers without the database.
 *
 * @param maximumEntrySize Largest stored answer that is cached; larger ones are read from
 * the database.
 * @param local Cache of answers within this node.
 */
@ConfigurationProperties("idempotency.cache")
record CacheProperties(@DefaultValue("16KB") DataSize maximumEntrySize, @DefaultValue Local local) {

	public CacheProperties {
		requireSize(maximumEntrySize, "cache.maximum-entry-size", "16KB");
	}

	/**
	 * Settings of the cache of this node.
	 *
	 * @param enabled Whether this node keeps answers in memory, with Caffeine.
	 * @param maximumSize Maximum number of answers kept in the local cache.
	 * @param maxAge Longest time that the local cache keeps an answer. An answer that was
	 * purged on another node may be replayed for that long.
	 */
	public record Local(@DefaultValue("false") boolean enabled, @DefaultValue("10000") long maximumSize,
			@DefaultValue("5m") Duration maxAge) {

		public Local {
			require(maximumSize >= 1, "cache.local.maximum-size", maximumSize, "Write a number from 1.");
			requirePositive(maxAge, "cache.local.max-age", "5m");
		}

	}

}
