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
import com.github.benmanes.caffeine.cache.Ticker;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCache;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.cache.LocalAnswers;
import dev.idempotency.cache.SharedAnswers;
import dev.idempotency.cache.TieredAnswerCache;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.IdempotencyStore;

/**
 * Replays without the database. The local cache is no bean of a type that Spring's
 * caching looks for: the application's own caches are as they would be without it.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class, after = IdempotencyJdbcAutoConfiguration.class,
		afterName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnClass(TieredAnswerCache.class)
@Conditional(IdempotencyCacheAutoConfiguration.OnAnyCache.class)
@ConditionalOnBean(IdempotencyStore.class)
@EnableConfigurationProperties(CacheProperties.class)
@Import(EnforcementImport.class)
public final class IdempotencyCacheAutoConfiguration {

	private static final Log logger = LogFactory.getLog(IdempotencyCacheAutoConfiguration.class);

	private static final String REDIS_CACHE = "org.springframework.data.redis.cache.RedisCache";

	@Bean
	@ConditionalOnMissingBean
	AnswerCache idempotencyAnswerCache(CacheProperties cache, ObjectProvider<LocalAnswers> local,
			ObjectProvider<CacheManager> cacheManager, IdempotencyStore store, NotificationPublisher notifications) {
		return new TieredAnswerCache(
				cache.local().enabled() ? require(local.getIfAvailable()) : null, cache.shared().enabled()
						? shared(cache.shared(), cacheManager.getIfUnique(), store, notifications) : null,
				cache.maximumEntrySize().toBytes());
	}

	private static LocalAnswers require(@Nullable LocalAnswers local) {
		if (local == null) {
			throw new InvalidIdempotentException(
					"The property idempotency.cache.local.enabled is 'true', and Caffeine is not on the class path.",
					"Add com.github.ben-manes.caffeine:caffeine and spring-boot-starter-cache, or remove the property.");
		}
		return local;
	}

	private static SharedAnswers shared(CacheProperties.Shared properties, @Nullable CacheManager manager,
			IdempotencyStore store, NotificationPublisher notifications) {
		if (manager == null) {
			throw new InvalidIdempotentException(
					"The property idempotency.cache.shared.enabled is 'true', and there is no single CacheManager.",
					"Use @EnableCaching with a cache that all nodes share, such as spring-boot-starter-data-redis; "
							+ "where there are several cache managers, make one primary.");
		}
		Cache cache = manager.getCache(properties.name());
		if (cache == null) {
			throw new InvalidIdempotentException(
					"The property idempotency.cache.shared.name is '" + properties.name()
							+ "', and the CacheManager has no such cache.",
					"Add the name to spring.cache.cache-names, or write one of " + manager.getCacheNames() + ".");
		}
		if (cache instanceof ConcurrentMapCache) {
			LogEvent.CACHE_NOT_SHARED.log(logger,
					"The cache '" + properties.name() + "' is a map in this process: other nodes do not see it, "
							+ "and it never evicts. For one node use idempotency.cache.local.enabled=true.");
		}
		if (ClassUtils.isPresent(REDIS_CACHE, IdempotencyCacheAutoConfiguration.class.getClassLoader())) {
			RedisValueRule.check(cache);
		}
		return new SharedAnswers(cache, store, properties.maxAge(), properties.timeout(), notifications);
	}

	/**
	 * Configuration with Caffeine.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Caffeine.class, CaffeineCache.class })
	@ConditionalOnBooleanProperty("idempotency.cache.local.enabled")
	static class Local {

		@Bean
		@ConditionalOnMissingBean
		LocalAnswers idempotencyLocalAnswers(CacheProperties properties) {
			CacheProperties.Local local = properties.local();
			return new LocalAnswers(local.maximumSize(), local.maxAge(), Ticker.systemTicker());
		}

		/**
		 * Configuration with Micrometer: the tags are those of Spring Boot's own cache
		 * meters.
		 */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(MeterBinder.class)
		static class Meters {

			@Bean
			MeterBinder idempotencyLocalCacheMeters(LocalAnswers local) {
				return new CaffeineCacheMetrics<>(local.nativeCache(), LocalAnswers.NAME,
						Tags.of("cache.manager", LocalAnswers.NAME, "name", LocalAnswers.NAME));
			}

		}

	}

	/**
	 * Matches if one of the two caches is enabled.
	 */
	static class OnAnyCache extends AnyNestedCondition {

		OnAnyCache() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBooleanProperty("idempotency.cache.local.enabled")
		static class OnLocal {

		}

		@ConditionalOnBooleanProperty("idempotency.cache.shared.enabled")
		static class OnShared {

		}

	}

}
