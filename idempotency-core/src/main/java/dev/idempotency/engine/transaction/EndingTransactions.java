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

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * The transactions of a thread that have ended and whose callbacks are running. Spring
 * still considers them active, and lets work participate that nothing commits any more.
 */
final class EndingTransactions implements TransactionExecutionListener {

	/**
	 * Ending transactions, and those begun by their callbacks, the last one first.
	 */
	private final ThreadLocal<@Nullable Deque<Entry>> entries = new ThreadLocal<>();

	/**
	 * Returns whether the transaction of the current thread has ended.
	 */
	boolean containsCurrent() {
		Deque<Entry> known = known();
		return known != null && known.element().ending();
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		Deque<Entry> known = known();
		if (known != null && beginFailure == null && transaction.isNewTransaction()) {
			known.push(new Entry(transaction, false));
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		end(transaction);
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		end(transaction);
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		forget(transaction);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		forget(transaction);
	}

	private void end(TransactionExecution transaction) {
		if (transaction.isNewTransaction()) {
			forget(transaction);
			Deque<Entry> known = this.entries.get();
			if (known == null) {
				known = new ArrayDeque<>();
				this.entries.set(known);
			}
			known.push(new Entry(transaction, true));
		}
	}

	private void forget(TransactionExecution transaction) {
		Deque<Entry> known = this.entries.get();
		if (known != null) {
			known.removeIf((entry) -> entry.transaction() == transaction);
			known();
		}
	}

	/**
	 * Returns the transactions without those whose end was not reported.
	 */
	private @Nullable Deque<Entry> known() {
		Deque<Entry> known = this.entries.get();
		if (known != null) {
			known.removeIf((entry) -> entry.transaction().isCompleted());
			if (known.isEmpty()) {
				this.entries.remove();
				return null;
			}
		}
		return known;
	}

	private record Entry(TransactionExecution transaction, boolean ending) {
	}

}
