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
package dev.idempotency.test.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJpaAutoConfiguration;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;

/**
 * The store in memory, for slices and for {@link AutoConfigureIdempotency}.
 */
@AutoConfiguration(before = { IdempotencyJpaAutoConfiguration.class, IdempotencyAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(IdempotencyStore.class)
@EnableConfigurationProperties(IdempotencyProperties.class)
final class InMemoryStoreTestAutoConfiguration {

	@Bean
	InMemoryIdempotencyStore idempotencyStore(SettableClock clock, IdempotencyProperties properties,
			Environment environment) {
		return new InMemoryIdempotencyStore(properties.namespaceIn(environment), clock);
	}

	@Bean
	UnfinishedStore idempotencyUnfinishedStore(InMemoryIdempotencyStore store, IdempotencyProperties properties,
			Environment environment) {
		return store.unfinished(properties.namespaceIn(environment));
	}

	@Bean
	OperatorStore idempotencyOperatorStore(InMemoryIdempotencyStore store, IdempotencyProperties properties,
			Environment environment) {
		return store.operators(properties.namespaceIn(environment));
	}

	@Bean
	SettableClock idempotencyClock() {
		return new SettableClock();
	}

}
