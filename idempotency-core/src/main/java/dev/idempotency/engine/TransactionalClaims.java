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

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.LeaseExpiry;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.Hold;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.transaction.OpenTransaction;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.LeaseStore;

/**
 * Claims calls in mode TRANSACTIONAL: the claim is the first statement in the transaction
 * of the business rows, and ends with it.
 *
 * @param decisions decides about calls that may not run
 * @param leases the settings of leases, which a call can supersede
 * @param keys limits the keys of a transaction
 * @param recent calls that are likely to be duplicates
 */
record TransactionalClaims(CallDecisions decisions, LeaseKeeper.Settings leases, TransactionKeys keys,
		RecentCalls recent) {

	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	/**
	 * Claims a call.
	 * @return the right to execute it, with its transaction open on the current thread,
	 * or its answer; {@code null} while another delivery is running
	 */
	@Nullable Claim claim(Call call) {
		Attempt known = this.recent.ask(call);
		if (known != null) {
			return this.decisions.decide(call, known);
		}
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			this.keys.add(call.operation().name(), 1);
		}
		TransactionStatus transaction = begin(call);
		Attempt attempt;
		boolean acquired;
		try {
			attempt = this.decisions.store().acquire(call.identity());
			acquired = attempt instanceof Attempt.Acquired || supersede(call, attempt);
		}
		catch (RuntimeException ex) {
			this.decisions.rollBack(transaction, ex);
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		this.recent.add(call);
		if (acquired) {
			return enter(call, transaction);
		}
		end(transaction);
		return this.decisions.decide(call, attempt);
	}

	/**
	 * Removes the expired lease of an owner that died while the operation was LEASED.
	 */
	private boolean supersede(Call call, Attempt attempt) {
		return attempt instanceof Attempt.Abandoned abandoned && this.leases.onExpiry() == LeaseExpiry.RERUN
				&& call.fingerprint().matches(abandoned.fingerprint())
				&& this.decisions.store() instanceof LeaseStore leaseStore && leaseStore.supersede(abandoned.lease());
	}

	/**
	 * Executes a call in the open transaction, which holds its lock.
	 */
	Execution join(Call call) {
		return enter(call, begin(call));
	}

	private Execution enter(Call call, TransactionStatus transaction) {
		Hold hold = new Hold.OfLock(this.decisions.store(), OpenTransaction.of(call.operation().name()));
		Execution execution = new Execution(this.decisions, call, hold, transaction);
		execution.enterThread();
		return execution;
	}

	/**
	 * Opens a transaction for a call that is already claimed.
	 */
	Execution open(Call call, Hold.OfLease hold) {
		TransactionStatus transaction = begin(call);
		try {
			hold.run().holdUntilAnswered();
		}
		catch (LeaseLostException ex) {
			this.decisions.rollBack(transaction, ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			this.decisions.rollBack(transaction, ex);
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		return new Execution(this.decisions, call, hold, transaction);
	}

	TransactionStatus begin(Call call) {
		TransactionStatus transaction;
		try {
			transaction = this.decisions.transactionManager().getTransaction(DEFINITION);
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			InvalidIdempotentException refused = new InvalidIdempotentException(
					"The transaction of " + call.operation().name() + " has no synchronization, so that neither its "
							+ "statements nor its commit can be joined by the record.",
					"Use a transaction manager that initializes transaction synchronization.");
			this.decisions.rollBack(transaction, refused);
			throw refused;
		}
		return transaction;
	}

	/**
	 * Ends a transaction in which nothing has run, without a rollback of the caller's
	 * transaction.
	 */
	void end(TransactionStatus transaction) {
		if (transaction.isNewTransaction()) {
			this.decisions.transactionManager().rollback(transaction);
		}
		else {
			this.decisions.transactionManager().commit(transaction);
		}
	}

}
