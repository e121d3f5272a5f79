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
package dev.idempotency.jmh;

import java.time.InstantSource;

import java.net.URI;
import java.util.Map;

import dev.idempotency.Idempotent;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A handler that does nothing, unprotected and protected, on a store in memory: what is
 * left is what the library does itself.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import(EngineApplication.Payments.class)
class EngineApplication {

	@Bean
	InMemoryIdempotencyStore store() {
		return new InMemoryIdempotencyStore("jmh", InstantSource.system());
	}

	@Bean
	InMemoryTransactionManager transactionManager() {
		return new InMemoryTransactionManager();
	}

	@RestController
	static class Payments {

		@PostMapping("/unprotected")
		ResponseEntity<Map<String, Object>> pay(@RequestBody Map<String, Object> payment) {
			return ResponseEntity.created(URI.create("/payments/1")).body(payment);
		}

		@Idempotent
		@PostMapping("/protected")
		ResponseEntity<Map<String, Object>> payProtected(@RequestBody Map<String, Object> payment) {
			return pay(payment);
		}

	}

}
