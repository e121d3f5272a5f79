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

import java.time.Duration;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.security.IdempotencySecurityAutoConfiguration;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;
import dev.idempotency.test.IdempotencyClock;
import dev.idempotency.test.assertj.IdempotencyRecords;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class InMemoryStoreTestAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InMemoryStoreTestAutoConfiguration.class,
				InMemoryTransactionTestAutoConfiguration.class, IdempotencyRecordsTestAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencySecurityAutoConfiguration.class));

	@Test
	void givesTheEngineAStoreAndTransactionsInMemory() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class)
			.hasSingleBean(InMemoryIdempotencyStore.class)
			.hasSingleBean(InMemoryTransactionManager.class)
			.hasSingleBean(UnfinishedStore.class)
			.hasSingleBean(OperatorStore.class)
			.hasSingleBean(IdempotencyClock.class)
			.hasSingleBean(IdempotencyRecords.class));
	}

	@Test
	void isSwitchedOffWithTheLibrary() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(InMemoryIdempotencyStore.class)
				.doesNotHaveBean(InMemoryTransactionManager.class)
				.doesNotHaveBean(IdempotencyRecords.class));
	}

	@Test
	void leavesTheStoreOfTheTestAlone() {
		IdempotencyStore own = mock(IdempotencyStore.class);
		this.contextRunner.withBean(IdempotencyStore.class, () -> own)
			.withBean(PlatformTransactionManager.class, InMemoryTransactionManager::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(InMemoryIdempotencyStore.class)
				.getBean(IdempotencyStore.class)
				.isSameAs(own));
	}

	@Test
	void leavesTheTransactionsOfTheTestAlone() {
		PlatformTransactionManager own = new InMemoryTransactionManager();
		this.contextRunner.withBean(PlatformTransactionManager.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class)
				.getBean(PlatformTransactionManager.class)
				.isSameAs(own));
	}

	@Test
	void hasNoRecordsWithoutTheEngine() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyRecords.class));
	}

	@Test
	void takesTheNamespaceOfTheApplication() {
		this.contextRunner.withPropertyValues("spring.application.name=shop").run((context) -> {
			Identity identity = new Identity(new byte[32], new byte[16]);
			context.getBean(LeaseStore.class)
				.lease(new LeaseRequest(identity, "test", new byte[1], null, Duration.ofHours(1), true, 1,
						LeaseLimits.NONE));
			InMemoryIdempotencyStore store = context.getBean(InMemoryIdempotencyStore.class);
			assertThat(context.getBean(UnfinishedStore.class).find(identity)).isPresent();
			assertThat(store.unfinished("shop").find(identity)).isPresent();
			assertThat(store.unfinished("application").find(identity)).isEmpty();
		});
	}

}
