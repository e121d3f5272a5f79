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
package dev.idempotency.storecontract;

import java.time.Duration;
import java.time.InstantSource;

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

/**
 * A harness of the store in memory, whose parts may be replaced.
 */
class InMemoryHarness implements StoreHarness {

	private final InstantSource clock = InstantSource.system();

	private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(NAMESPACE,
			() -> this.clock.instant().plus(this.ahead));

	private final PlatformTransactionManager transactionManager = new InMemoryTransactionManager();

	private volatile Duration ahead = Duration.ZERO;

	/**
	 * Returns the part that the contract is held against.
	 * @param type the type of the part
	 * @param part the part of the store in memory
	 * @return the part itself, unless a subclass replaces it
	 */
	protected <T> T part(Class<T> type, T part) {
		return part;
	}

	@Override
	public IdempotencyStore store() {
		return part(LeaseStore.class, this.store);
	}

	@Override
	public UnfinishedStore unfinished(String namespace) {
		return part(UnfinishedStore.class, this.store.unfinished(namespace));
	}

	@Override
	public OperatorStore operators(String namespace) {
		return part(OperatorStore.class, this.store.operators(namespace));
	}

	@Override
	public PlatformTransactionManager transactionManager() {
		return this.transactionManager;
	}

	@Override
	public void passTime(Duration time) {
		this.ahead = this.ahead.plus(time);
	}

	@Override
	public void clear() {
		this.store.clear();
	}

}
