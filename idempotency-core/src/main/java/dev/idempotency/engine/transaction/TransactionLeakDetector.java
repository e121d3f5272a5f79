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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * A detector of what the work for a request leaves on its thread: no transaction, binding
 * or run outlives the request.
 * <ol>
 * <li>A transaction of the business rows that was begun, has not ended and will not hold
 * the answer is rolled back by its manager: this unbinds its resources, returns its
 * connection clean, and resumes the suspended transaction.</li>
 * <li>A transaction of another manager is detected by the state of the thread. Its owner
 * cannot end it, so its callbacks are completed with an unknown status, and its resources
 * are given up: the database rolls back, and no pool hands them out again.</li>
 * </ol>
 */
public final class TransactionLeakDetector {

	private static final Log logger = LogFactory.getLog(TransactionLeakDetector.class);

	private final RequestTransactions transactions;

	private final String handler;

	private final @Nullable TransactionLeakDetector outer;

	private final boolean active = TransactionSynchronizationManager.isActualTransactionActive();

	private final boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();

	/**
	 * The keys of the resources that were bound before: with an open session in view
	 * there is one.
	 */
	private final Set<Object> resources = Set.copyOf(TransactionSynchronizationManager.getResourceMap().keySet());

	private final @Nullable OpenTransaction open = OpenTransaction.current();

	private final @Nullable FencedRun run;

	TransactionLeakDetector(RequestTransactions transactions, String handler, @Nullable TransactionLeakDetector outer) {
		this.transactions = transactions;
		this.handler = handler;
		this.outer = outer;
		this.run = transactions.run();
	}

	String handler() {
		return this.handler;
	}

	/**
	 * Rolls back all transactions that were begun and not ended, except one. Logs an
	 * error if there were any.
	 * @param own the transaction that will hold the answer, {@code null} if none does
	 * @return whether there were any
	 */
	public boolean endLeaked(@Nullable TransactionStatus own) {
		boolean leaked = false;
		for (TransactionStatus left = left(own); left != null; left = left(own)) {
			leaked = true;
			rollBack(left);
		}
		if (own == null) {
			leaked |= restoreThread();
		}
		if (leaked) {
			LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
					"A transaction was left open and was rolled back [" + this.handler + "]");
		}
		return leaked;
	}

	private @Nullable TransactionStatus left(@Nullable TransactionStatus own) {
		TransactionStatus innermost = this.transactions.innermost(this);
		return (innermost != own) ? innermost : null;
	}

	private void rollBack(TransactionStatus transaction) {
		try {
			this.transactions.rollBack(transaction);
		}
		catch (RuntimeException ex) {
			LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.handler + "]", ex);
		}
	}

	/**
	 * Restores the state of the thread in Spring's transactions.
	 * @return whether anything was left
	 */
	private boolean restoreThread() {
		boolean synchronizationLeft = !this.synchronizing
				&& TransactionSynchronizationManager.isSynchronizationActive();
		boolean left = synchronizationLeft
				|| (!this.active && TransactionSynchronizationManager.isActualTransactionActive());
		if (synchronizationLeft) {
			disposeOfResources();
			TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_UNKNOWN);
			TransactionSynchronizationManager.clear();
		}
		if (left) {
			TransactionSynchronizationManager.setActualTransactionActive(this.active);
		}
		// Resources bound since within a transaction that was already open end with it.
		return (!this.synchronizing && disposeOfResources()) || left;
	}

	private boolean disposeOfResources() {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		if (bound.size() <= this.resources.size()) {
			return false;
		}
		boolean found = false;
		for (Map.Entry<Object, Object> resource : Map.copyOf(bound).entrySet()) {
			if (resource.getValue() instanceof ResourceHolder holder && !this.resources.contains(resource.getKey())) {
				TransactionSynchronizationManager.unbindResourceIfPossible(resource.getKey());
				this.transactions.disposer().dispose(holder);
				found = true;
			}
		}
		return found;
	}

	/**
	 * Rolls back as {@link #endLeaked} does, and fails if there were any such
	 * transactions: their work is not part of the answer.
	 * @param own the transaction that will hold the answer, {@code null} if none does
	 * @throws InvalidIdempotentException if a transaction was left open
	 */
	public void requireEnded(@Nullable TransactionStatus own) {
		if (endLeaked(own)) {
			throw new InvalidIdempotentException(this.handler + " has begun a transaction and has not ended it.",
					"Use a TransactionTemplate or @Transactional, which end their transactions. "
							+ "The transaction was rolled back.");
		}
	}

	/**
	 * Stops while the request is still at work on this thread.
	 */
	public void pause() {
		this.transactions.remove(this, this.outer);
	}

	/**
	 * Stops. Nothing of the request remains on the thread afterwards.
	 * @return whether the thread had to be cleaned
	 */
	public boolean end() {
		boolean leaked = endLeaked(null);
		pause();
		return restoreBindings() || leaked;
	}

	private boolean restoreBindings() {
		OpenTransaction left = OpenTransaction.current();
		FencedRun leftRun = this.transactions.run();
		if ((left == null || left == this.open) && (leftRun == null || leftRun == this.run)) {
			return false;
		}
		OpenTransaction.restore(this.open);
		this.transactions.enter(this.run);
		LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
				"The thread still belonged to a request that is over [" + this.handler + "]");
		return true;
	}

}
