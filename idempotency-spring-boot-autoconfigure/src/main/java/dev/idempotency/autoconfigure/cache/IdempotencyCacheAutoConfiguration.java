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

import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.store.IdempotencyStore;

/**
 * Auto-configuration of the local cache, which replays answers without the database. It
 * is not a bean of a type that Spring's caching looks for: the application's own caches
 * are not affected.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class, after = IdempotencyJdbcAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("idempotency.cache.local.enabled")
@ConditionalOnClass(Caffeine.class)
@ConditionalOnBean(IdempotencyStore.class)
@EnableConfigurationProperties(CacheProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyCacheAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(ResponseCache.class)
	LocalResponses idempotencyAnswerCache(CacheProperties properties) {
		return new LocalResponses(properties.maximumSize());
	}

	/**
	 * Configuration with Micrometer: the tags are the same as on Spring Boot's own cache
	 * meters.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterBinder.class)
	static class Meters {

		private static final String NAME = "idempotency";

		@Bean
		MeterBinder idempotencyLocalCacheMeters(ObjectProvider<LocalResponses> local) {
			Tags tags = Tags.of("cache.manager", NAME, "name", NAME);
			return (registry) -> local
				.ifAvailable((answers) -> CaffeineCacheMetrics.monitor(registry, answers.nativeCache(), NAME, tags));
		}

	}

}
