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

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * A store under test, with the operations that the contract needs in addition to the SPI.
 */
public interface StoreHarness {

	/**
	 * The application whose requests {@link #store()} claims.
	 */
	String NAMESPACE = "contract";

	/**
	 * The store under test, that of the application {@link #NAMESPACE}.
	 * @return the same object each time
	 */
	IdempotencyStore store();

	/**
	 * The unfinished requests in the same store, which only a store that keeps leases
	 * has.
	 * @param namespace the application: {@link #NAMESPACE}, or another that shares the
	 * store
	 * @return the unfinished requests of this application
	 */
	default UnfinishedStore unfinished(String namespace) {
		throw new IllegalStateException("The harness of a store that keeps leases overrides this method");
	}

	/**
	 * The operators' view of the same store.
	 * @param namespace the application: {@link #NAMESPACE}, or another that shares the
	 * store
	 * @return the view of this application
	 */
	OperatorStore operators(String namespace);

	/**
	 * Returns the manager of the transactions that the store takes part in.
	 * @return the transaction manager
	 */
	PlatformTransactionManager transactionManager();

	/**
	 * Advances the time for all stored data, without waiting: either the store's clock
	 * moves forward, or all stored times move back.
	 * @param time the time to pass, at least zero
	 */
	void passTime(Duration time);

	/**
	 * Removes all stored data, in any state. Called before each test.
	 */
	void clear();

}
