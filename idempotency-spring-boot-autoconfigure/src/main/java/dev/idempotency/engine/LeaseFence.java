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
package dev.idempotency.engine;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.LeaseLostException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;

/**
 * Lets no transaction of a leased run commit after the lease is lost, whoever opened it:
 * each checks the fence as its last statement, on its own connection. The row lock of
 * that statement keeps the lease until the commit is through.
 */
public final class LeaseFence implements TransactionExecutionListener {

	private final IdempotencyStore store;

	private final ThreadLocal<Lease> current = new ThreadLocal<>();

	public LeaseFence(IdempotencyStore store) {
		this.store = store;
	}

	/**
	 * Make the transactions of the current thread belong to a lease.
	 */
	void bind(Lease lease) {
		this.current.set(lease);
	}

	void unbind() {
		this.current.remove();
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		Lease lease = this.current.get();
		if (lease != null && beginFailure == null && transaction.isNewTransaction() && !transaction.isReadOnly()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new Check(lease));
		}
	}

	/**
	 * The check at the end of one transaction.
	 */
	private final class Check implements TransactionSynchronization {

		private final Lease lease;

		Check(Lease lease) {
			this.lease = lease;
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (!LeaseFence.this.store.confirm(this.lease)) {
				throw new LeaseLostException();
			}
		}

	}

}
