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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * The time during which a thread works for a request.
 */
public final class ThreadWatch {

	private static final Log logger = LogFactory.getLog(ThreadWatch.class);

	private final String handler;

	private final ThreadGuard guard;

	private final @Nullable ThreadWatch outer;

	private final BoundTransactions before = BoundTransactions.ofThread();

	private final @Nullable OpenTransaction open = OpenTransaction.current();

	private final @Nullable FencedRun run;

	private @Nullable Begun last;

	ThreadWatch(ThreadGuard guard, String handler, @Nullable ThreadWatch outer) {
		this.guard = guard;
		this.handler = handler;
		this.outer = outer;
		this.run = guard.fence().current();
	}

	String handler() {
		return this.handler;
	}

	void begun(TransactionStatus transaction) {
		this.last = new Begun(transaction, lastOpen());
	}

	private @Nullable Begun lastOpen() {
		while (this.last != null && this.last.transaction().isCompleted()) {
			this.last = this.last.earlier();
		}
		return this.last;
	}

	/**
	 * Rolls back all transactions that were begun and not ended, except one. Logs an
	 * error if there were any.
	 * @param own the transaction that will hold the answer, {@code null} if none does
	 * @return whether there were any
	 */
	public boolean endLeaked(@Nullable TransactionStatus own) {
		boolean leaked = false;
		for (Begun begun = lastOpen(); begun != null && begun.transaction() != own; begun = lastOpen()) {
			leaked = true;
			rollBack(begun.transaction());
			this.last = begun.earlier();
		}
		if (own == null) {
			leaked |= this.before.restore(this.guard.disposer());
		}
		if (leaked) {
			LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
					"A transaction was left open and was rolled back [" + this.handler + "]");
		}
		return leaked;
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

	private void rollBack(TransactionStatus transaction) {
		try {
			this.guard.businessTransactions().rollback(transaction);
		}
		catch (RuntimeException ex) {
			LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.handler + "]", ex);
		}
	}

	/**
	 * Stops watching while the request is still at work on this thread.
	 */
	public void pause() {
		this.guard.unwatch(this, this.outer);
	}

	/**
	 * Stops watching. Nothing of the request remains on the thread afterwards.
	 * @return whether the thread had to be cleaned
	 */
	public boolean end() {
		boolean leaked = endLeaked(null);
		pause();
		return restoreBindings() || leaked;
	}

	private boolean restoreBindings() {
		OpenTransaction left = OpenTransaction.current();
		FencedRun leftRun = this.guard.fence().current();
		if ((left == null || left == this.open) && (leftRun == null || leftRun == this.run)) {
			return false;
		}
		OpenTransaction.restore(this.open);
		this.guard.fence().restore(this.run);
		LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
				"The thread still belonged to a request that is over [" + this.handler + "]");
		return true;
	}

	/**
	 * A transaction, and the earlier ones that have not ended either.
	 *
	 * @param transaction the transaction
	 * @param earlier the earlier ones
	 */
	private record Begun(TransactionStatus transaction, @Nullable Begun earlier) {
	}

}
