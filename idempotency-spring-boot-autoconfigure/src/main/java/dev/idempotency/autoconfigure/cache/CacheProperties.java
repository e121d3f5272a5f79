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

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * Settings of the cache of this node, which replays answers without the database.
 *
 * @param enabled Whether this node keeps answers in memory, with Caffeine. An answer that
 * was purged on another node may be replayed for five minutes.
 * @param maximumSize Maximum number of answers kept in the local cache.
 */
@ConfigurationProperties("idempotency.cache.local")
record CacheProperties(@DefaultValue("false") boolean enabled, @DefaultValue("10000") long maximumSize) {

	public CacheProperties {
		require(maximumSize >= 1, "cache.local.maximum-size", maximumSize, "Write a number from 1.");
	}

}
