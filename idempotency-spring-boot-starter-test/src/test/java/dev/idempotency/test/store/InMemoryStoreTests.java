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
package dev.idempotency.test.store;

import java.time.Duration;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;
import dev.idempotency.test.SettableClock;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * The contract of the store, in memory.
 */
class InMemoryStoreTests extends StoreContractTests {

	private static final StoreHarness HARNESS = new Harness();

	@Override
	protected StoreHarness harness() {
		return HARNESS;
	}

	private static final class Harness implements StoreHarness {

		private final SettableClock clock = new SettableClock();

		private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(NAMESPACE, this.clock);

		private final PlatformTransactionManager transactionManager = new InMemoryTransactionManager();

		@Override
		public IdempotencyStore store() {
			return this.store;
		}

		@Override
		public UnfinishedStore unfinished(String namespace) {
			return this.store.unfinished(namespace);
		}

		@Override
		public OperatorStore operators(String namespace) {
			return this.store.operators(namespace);
		}

		@Override
		public PlatformTransactionManager transactionManager() {
			return this.transactionManager;
		}

		@Override
		public void passTime(Duration time) {
			this.clock.pass(time);
		}

		@Override
		public void clear() {
			this.store.clear();
		}

	}

}
