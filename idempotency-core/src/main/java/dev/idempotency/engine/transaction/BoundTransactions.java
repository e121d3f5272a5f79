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
package dev.idempotency.engine.transaction;

import java.util.Map;
import java.util.Set;

import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import dev.idempotency.engine.transaction.ThreadGuard.ResourceDisposer;

/**
 * The state of a thread in Spring's transactions, of any transaction manager.
 *
 * @param active whether a transaction is open
 * @param synchronizing whether transaction synchronization is active
 * @param resources the keys of the bound resources
 */
record BoundTransactions(boolean active, boolean synchronizing, Set<Object> resources) {

	/**
	 * Returns the state of the current thread. With an open session in view one resource
	 * is already bound.
	 */
	static BoundTransactions ofThread() {
		Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
		return new BoundTransactions(TransactionSynchronizationManager.isActualTransactionActive(),
				TransactionSynchronizationManager.isSynchronizationActive(),
				resources.isEmpty() ? Set.of() : Set.copyOf(resources.keySet()));
	}

	/**
	 * Returns whether a transaction was opened since.
	 */
	boolean isOpenedSince() {
		return (!this.active && TransactionSynchronizationManager.isActualTransactionActive())
				|| (!this.synchronizing && TransactionSynchronizationManager.isSynchronizationActive());
	}

	/**
	 * Restores this state of the current thread. The owner of the open transaction cannot
	 * end it, so its callbacks are completed with an unknown status, and its resources
	 * are given up: the database rolls back, and no pool hands them out again.
	 * @param disposer gives up resources that were left bound
	 * @return whether anything was left
	 */
	boolean restore(ResourceDisposer disposer) {
		boolean opened = isOpenedSince();
		if (opened) {
			if (!this.synchronizing && TransactionSynchronizationManager.isSynchronizationActive()) {
				disposeOfResources(disposer);
				TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_UNKNOWN);
				TransactionSynchronizationManager.clear();
			}
			TransactionSynchronizationManager.setActualTransactionActive(this.active);
		}
		// Resources bound since within a transaction that was already open end with it.
		return (!this.synchronizing && disposeOfResources(disposer)) || opened;
	}

	private boolean disposeOfResources(ResourceDisposer disposer) {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		if (bound.size() <= this.resources.size()) {
			return false;
		}
		boolean found = false;
		for (Map.Entry<Object, Object> resource : Map.copyOf(bound).entrySet()) {
			if (resource.getValue() instanceof ResourceHolder holder && !this.resources.contains(resource.getKey())) {
				TransactionSynchronizationManager.unbindResourceIfPossible(resource.getKey());
				disposer.dispose(holder);
				found = true;
			}
		}
		return found;
	}

}
