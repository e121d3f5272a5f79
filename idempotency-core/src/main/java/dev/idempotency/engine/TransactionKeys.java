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

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Limits the number of keys that one transaction claims. Each key is a lock until the
 * transaction ends, and all connections of the server share one lock table: if it is
 * full, the transactions of all applications fail.
 */
final class TransactionKeys {

	/**
	 * The largest number of keys in one transaction. PostgreSQL has room for 6400 locks
	 * by default.
	 */
	static final int MAX = 1000;

	/**
	 * Counts keys that are about to be claimed. Without a transaction on the thread, only
	 * these keys count: their transaction has no others.
	 * @param operation the operation's name
	 * @param keys the number of keys
	 * @throws IllegalTransactionStateException if the limit is exceeded; nothing is
	 * counted then
	 */
	void add(String operation, int keys) {
		Count count = TransactionSynchronizationManager.isActualTransactionActive() ? current() : null;
		int sum = keys + ((count != null) ? count.keys : 0);
		if (sum > MAX) {
			throw new IllegalTransactionStateException(operation + " would claim " + sum
					+ " idempotency keys in one transaction, and the limit is " + MAX + ". Each key is a lock of "
					+ "the database until the transaction ends. Commit in smaller portions.");
		}
		if (count != null) {
			count.keys = sum;
		}
	}

	private Count current() {
		Count bound = (Count) TransactionSynchronizationManager.getResource(this);
		if (bound != null) {
			return bound;
		}
		Count count = new Count();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.bindResource(this, count);
			TransactionSynchronizationManager.registerSynchronization(count);
		}
		return count;
	}

	/**
	 * The keys of one transaction, kept while it is suspended.
	 */
	private final class Count implements TransactionSynchronization {

		private int keys;

		@Override
		public void suspend() {
			TransactionSynchronizationManager.unbindResource(TransactionKeys.this);
		}

		@Override
		public void resume() {
			TransactionSynchronizationManager.bindResource(TransactionKeys.this, this);
		}

		@Override
		public void afterCompletion(int status) {
			TransactionSynchronizationManager.unbindResourceIfPossible(TransactionKeys.this);
		}

	}

}
