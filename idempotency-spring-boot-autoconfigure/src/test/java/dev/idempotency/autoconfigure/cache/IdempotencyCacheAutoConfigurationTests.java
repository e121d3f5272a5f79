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
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.cache.TieredAnswerCache;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyCacheAutoConfigurationTests {

	private static final String LOCAL = "idempotency.cache.local.enabled=true";

	private static final String SHARED = "idempotency.cache.shared.enabled=true";

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@Test
	void thereIsNoCacheByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(AnswerCache.class));
	}

	@Test
	void theLocalCacheIsNoCacheOfTheApplication() {
		this.contextRunner.withPropertyValues(LOCAL)
			.run((context) -> assertThat(context).hasSingleBean(TieredAnswerCache.class)
				.doesNotHaveBean(CacheManager.class)
				.doesNotHaveBean(Cache.class)
				.doesNotHaveBean(com.github.benmanes.caffeine.cache.Cache.class)
				.doesNotHaveBean(Caffeine.class));
	}

	@Test
	void theSharedCacheIsTheApplicationsByItsName(CapturedOutput output) {
		this.contextRunner.withPropertyValues(SHARED, "idempotency.cache.shared.name=answers")
			.withBean(CacheManager.class, () -> new ConcurrentMapCacheManager("answers"))
			.run((context) -> assertThat(context).hasSingleBean(TieredAnswerCache.class));
		assertThat(output).contains("The cache 'answers' is a map in this process");
	}

	@Test
	void isSwitchedOffWithTheLibrary() {
		this.contextRunner.withPropertyValues(LOCAL, "idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(AnswerCache.class));
	}

	@Test
	void leavesTheCacheOfTheApplicationAlone() {
		AnswerCache own = AnswerCache.none();
		this.contextRunner.withPropertyValues(LOCAL, SHARED)
			.withBean(AnswerCache.class, () -> own)
			.run((context) -> assertThat(context).getBean(AnswerCache.class).isSameAs(own));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withPropertyValues(LOCAL)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(AnswerCache.class));
	}

	@Test
	void withoutCaffeineThereIsNoLocalCacheAndWhoAsksForItIsToldWhatToAdd() {
		ApplicationContextRunner without = this.contextRunner
			.withClassLoader(new FilteredClassLoader("com.github.benmanes", "org.springframework.cache.caffeine"));
		without.run((context) -> assertThat(context).hasNotFailed());
		without.withPropertyValues(SHARED)
			.withBean(CacheManager.class, ConcurrentMapCacheManager::new)
			.run((context) -> assertThat(context).hasSingleBean(TieredAnswerCache.class));
		assertFailure(without.withPropertyValues(LOCAL), "Caffeine is not on the class path", "caffeine");
	}

	@Test
	void whoWantsASharedCacheHasOneCacheManagerAndThatCache() {
		assertFailure(this.contextRunner.withPropertyValues(SHARED), "there is no single CacheManager",
				"@EnableCaching");
		assertFailure(
				this.contextRunner.withPropertyValues(SHARED)
					.withBean("first", CacheManager.class, ConcurrentMapCacheManager::new)
					.withBean("second", CacheManager.class, ConcurrentMapCacheManager::new),
				"there is no single CacheManager", "make one primary");
		assertFailure(
				this.contextRunner.withPropertyValues(SHARED)
					.withBean(CacheManager.class, () -> new ConcurrentMapCacheManager("other")),
				"idempotency.cache.shared.name is 'idempotency'", "write one of [other]");
	}

	@Test
	void valuesInRedisAreBytesAndNoJavaObjects() {
		assertFailure(withRedis(RedisSerializer.java(), false), "serialized Java objects",
				"RedisSerializer.byteArray()");
		assertFailure(withRedis(RedisSerializer.java(), true), "serialized Java objects",
				"RedisSerializer.byteArray()");
		assertFailure(withRedis(RedisSerializer.string(), false), "does not keep bytes as they are",
				"RedisSerializer.byteArray()");
		withRedis(RedisSerializer.byteArray(), true)
			.run((context) -> assertThat(context).hasSingleBean(TieredAnswerCache.class));
	}

	/**
	 * No server is asked before the first request.
	 */
	private ApplicationContextRunner withRedis(RedisSerializer<?> values, boolean transactionAware) {
		RedisCacheManager.RedisCacheManagerBuilder builder = RedisCacheManager
			.builder(RedisCacheWriter.nonLockingRedisCacheWriter(mock(RedisConnectionFactory.class)))
			.withCacheConfiguration("idempotency", RedisCacheConfiguration.defaultCacheConfig()
				.serializeValuesWith(SerializationPair.fromSerializer(values)));
		RedisCacheManager manager = (transactionAware ? builder.transactionAware() : builder).build();
		return this.contextRunner.withPropertyValues(SHARED).withBean(CacheManager.class, () -> manager);
	}

	@Test
	void theLocalCacheHasMetersWhereThereIsMicrometer() {
		this.contextRunner.withPropertyValues(LOCAL).run((context) -> {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			context.getBean(MeterBinder.class).bindTo(registry);
			assertThat(registry.get("cache.gets").tag("cache", "idempotency").tag("result", "miss").meter())
				.isNotNull();
		});
		this.contextRunner.withPropertyValues(LOCAL)
			.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasSingleBean(AnswerCache.class)
				.doesNotHaveBean("idempotencyLocalCacheMeters"));
	}

	private static void assertFailure(ApplicationContextRunner runner, String subject, String action) {
		runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
				assertThat(failure.getSubject()).contains(subject);
				assertThat(failure.getAction()).contains(action);
			}));
	}

}
