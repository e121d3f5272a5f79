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

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.engine.ResponseCache;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyCacheAutoConfigurationTests {

	private static final String LOCAL = "idempotency.cache.local.enabled=true";

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@Test
	void thereIsNoCacheByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ResponseCache.class));
	}

	@Test
	void theLocalCacheIsNoCacheOfTheApplication() {
		this.contextRunner.withPropertyValues(LOCAL)
			.run((context) -> assertThat(context).hasSingleBean(LocalResponses.class)
				.doesNotHaveBean(CacheManager.class)
				.doesNotHaveBean(Cache.class)
				.doesNotHaveBean(com.github.benmanes.caffeine.cache.Cache.class)
				.doesNotHaveBean(Caffeine.class));
	}

	@Test
	void isSwitchedOffWithTheLibrary() {
		this.contextRunner.withPropertyValues(LOCAL, "idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ResponseCache.class));
	}

	@Test
	void leavesTheCacheOfTheApplicationAlone() {
		ResponseCache own = ResponseCache.NONE;
		this.contextRunner.withPropertyValues(LOCAL)
			.withBean(ResponseCache.class, () -> own)
			.run((context) -> assertThat(context).getBean(ResponseCache.class).isSameAs(own));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withPropertyValues(LOCAL)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ResponseCache.class));
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
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasSingleBean(ResponseCache.class)
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
