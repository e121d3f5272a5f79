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
package dev.idempotency.conformance.transaction;

import java.util.List;

import javax.cache.annotation.CacheResult;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.RunningApplication;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A cache that answers in place of a protected method: its result may be that of a
 * transaction that was rolled back.
 */
@Tag("X30")
class CachedResultTests {

	@ParameterizedTest
	@ValueSource(classes = { CacheableHandler.class, CacheableService.class, CacheResultHandler.class,
			CacheResultService.class })
	void aCachedResultOfAProtectedMethodIsRefusedAtStartUp(Class<?> type) {
		String annotation = type.getSimpleName().replaceAll("Handler|Service", "");
		assertThatThrownBy(() -> RunningApplication.start(List.of(Cached.class, type)).close())
			.hasStackTraceContaining("@Idempotent on " + type.getSimpleName() + "#pay is @" + annotation)
			.hasStackTraceContaining("only reads");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Cached {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@RestController
	static class CacheableHandler {

		@Cacheable("payments")
		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	@Service
	static class CacheableService {

		@Cacheable("payments")
		@Idempotent(key = "#key")
		String pay(String key) {
			return "";
		}

	}

	@RestController
	static class CacheResultHandler {

		@CacheResult(cacheName = "payments")
		@Idempotent
		@PostMapping("/payments")
		String pay() {
			return "";
		}

	}

	@Service
	static class CacheResultService {

		@CacheResult(cacheName = "payments")
		@Idempotent(key = "#key")
		String pay(String key) {
			return "";
		}

	}

}
