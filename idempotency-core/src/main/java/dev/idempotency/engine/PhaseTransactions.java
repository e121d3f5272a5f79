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

import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.execution.ClaimRequest;
import dev.idempotency.engine.execution.DuplicateHandler;
import dev.idempotency.engine.execution.Hold;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.engine.transaction.CommitWatch;
import dev.idempotency.engine.transaction.OpenTransaction;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.StoreUnavailableException;

/**
 * The transactions of the phases of one request. Each locks the claim when it begins, so
 * the fence, which checks other transactions of the request at their commit, does not
 * apply.
 */
final class PhaseTransactions {

	/**
	 * The default isolation: the statement that locks the claim sets the isolation of the
	 * phase.
	 */
	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final DuplicateHandler duplicates;

	private final ClaimRequest request;

	private final Hold.OfLease hold;

	/**
	 * Set if the application runs a statement first in each transaction, for example to
	 * select the tenant. The isolation cannot be set afterwards.
	 */
	private boolean isolatedAtBegin;

	PhaseTransactions(DuplicateHandler duplicates, ClaimRequest request, Hold.OfLease hold) {
		this.duplicates = duplicates;
		this.request = request;
		this.hold = hold;
	}

	/**
	 * Begins a transaction that locks the claim, and runs work in it. The work commits
	 * the transaction; if the work fails, it is rolled back.
	 * @param isolation the isolation of the transaction
	 * @param work the work, which also commits
	 * @throws LeaseLostException if another owner has taken over the request
	 * @throws StoreUnavailableException if the connection to the database failed
	 */
	<T extends @Nullable Object> T run(Isolation isolation, Function<TransactionStatus, T> work) {
		OpenTransaction open = OpenTransaction.of(this.request.operation().name());
		this.hold.leaveThread();
		open.enter();
		TransactionStatus transaction = null;
		try {
			transaction = begin(isolation);
			return work.apply(transaction);
		}
		catch (RuntimeException | Error ex) {
			if (transaction != null && !transaction.isCompleted()) {
				this.duplicates.rollBack(transaction, ex);
			}
			if (CommitFailure.isConnectionFailure(ex)) {
				throw this.duplicates.unavailable(this.request, StorePhase.PHASE, ex);
			}
			throw ex;
		}
		finally {
			open.leave();
			this.hold.enterThread();
		}
	}

	/**
	 * Commits the transaction of a phase. A failure of callbacks after the commit is
	 * logged.
	 * @param transaction the transaction
	 * @param inDoubt asks the database for the outcome of a commit that got no reply, and
	 * returns whether it is committed
	 */
	void commit(TransactionStatus transaction, Predicate<Throwable> inDoubt) {
		CommitWatch watch = new CommitWatch();
		try {
			watch.commit(this.duplicates.transactionManager(), transaction, this.request.operation().name());
		}
		catch (RuntimeException | Error ex) {
			if (watch.isNothingSent(ex) || CommitFailure.isRefused(ex) || !inDoubt.test(ex)) {
				throw ex;
			}
		}
	}

	private TransactionStatus begin(Isolation isolation) {
		if (!this.isolatedAtBegin) {
			try {
				return begin(DEFINITION, isolation);
			}
			catch (RuntimeException | Error ex) {
				if (!CommitFailure.isTooLateForIsolation(ex)) {
					throw ex;
				}
				this.isolatedAtBegin = true;
			}
		}
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setIsolationLevel(isolation.value());
		return begin(definition, Isolation.DEFAULT);
	}

	private TransactionStatus begin(TransactionDefinition definition, Isolation held) {
		TransactionStatus transaction = this.duplicates.transactionManager().getTransaction(definition);
		try {
			this.hold.run().hold(held);
			return transaction;
		}
		catch (RuntimeException | Error ex) {
			this.duplicates.rollBack(transaction, ex);
			throw ex;
		}
	}

}
