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
package dev.idempotency.store.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.store.Identity;

/**
 * Answers and claims, with a lock for each identity in use by a transaction. Each call
 * holds the monitor from start to end, except while it waits for a lock.
 */
final class MemoryTables {

	private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);

	private final Map<Identity, MemoryEntry> committed = new HashMap<>();

	private final Map<Identity, MemoryTransaction> locks = new HashMap<>();

	/**
	 * Works in the transaction of the thread.
	 */
	<T> T inTransaction(Function<MemoryTransaction, T> work) {
		MemoryTransaction transaction = current();
		synchronized (this) {
			return work.apply(transaction);
		}
	}

	/**
	 * Works in a separate transaction.
	 */
	synchronized <T> T onItsOwn(Function<MemoryTransaction, T> work) {
		MemoryTransaction own = new MemoryTransaction(this);
		try {
			T result = work.apply(own);
			own.commit();
			return result;
		}
		catch (RuntimeException | Error ex) {
			own.rollback();
			throw ex;
		}
	}

	<T> T inTransactionOrOnItsOwn(Function<MemoryTransaction, T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work) : onItsOwn(work);
	}

	private MemoryTransaction current() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			throw new IllegalTransactionStateException(
					"The store in memory takes part in Spring's transactions, " + "and none is open on this thread");
		}
		MemoryTransaction bound = (MemoryTransaction) TransactionSynchronizationManager.getResource(this);
		if (bound != null) {
			return bound;
		}
		MemoryTransaction begun = new MemoryTransaction(this);
		TransactionSynchronizationManager.bindResource(this, begun);
		TransactionSynchronizationManager.registerSynchronization(begun);
		return begun;
	}

	boolean tryLock(Identity identity, MemoryTransaction transaction) {
		MemoryTransaction holder = this.locks.putIfAbsent(identity, transaction);
		return holder == null || holder == transaction;
	}

	void awaitLock(Identity identity, MemoryTransaction transaction) {
		long begin = System.nanoTime();
		while (!tryLock(identity, transaction)) {
			long millisLeft = LOCK_TIMEOUT.minusNanos(System.nanoTime() - begin).toMillis();
			if (millisLeft <= 0) {
				throw new CannotAcquireLockException("Another transaction has locked " + identity + " for "
						+ LOCK_TIMEOUT.toSeconds() + " seconds: does it wait for this one?");
			}
			try {
				wait(millisLeft);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new CannotAcquireLockException("Interrupted", ex);
			}
		}
	}

	MemoryEntry committed(Identity identity) {
		return this.committed.getOrDefault(identity, MemoryEntry.EMPTY);
	}

	/**
	 * Returns a snapshot of all identities with an entry.
	 */
	List<Identity> identities() {
		return List.copyOf(this.committed.keySet());
	}

	synchronized void end(Map<Identity, MemoryEntry> changed, Set<Identity> locked) {
		changed.forEach((identity, entry) -> {
			if (entry.isEmpty()) {
				this.committed.remove(identity);
			}
			else {
				this.committed.put(identity, entry);
			}
		});
		this.locks.keySet().removeAll(locked);
		notifyAll();
	}

	synchronized void clear() {
		this.committed.clear();
	}

}
