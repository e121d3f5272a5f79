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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;

/**
 * A guard of the threads that work for requests: no transaction, binding or fence
 * outlives the request that it was made for.
 * <ol>
 * <li>The state of the thread is remembered when it begins to work for a request.</li>
 * <li>The transaction manager reports each transaction that begins. Where one is neither
 * ended nor the one that will hold the answer, the manager itself rolls it back: that
 * unbinds its resources, gives its connection back clean, and resumes what it has
 * suspended.</li>
 * <li>A transaction of a manager that does not report is seen by what it leaves on the
 * thread. Its connection is aborted.</li>
 * </ol>
 */
public final class ThreadGuard {

	private static final Log logger = LogFactory.getLog(ThreadGuard.class);

	private static final TransactionDefinition MANDATORY = new DefaultTransactionDefinition(
			TransactionDefinition.PROPAGATION_MANDATORY);

	private final SingletonSupplier<PlatformTransactionManager> transactionManager;

	private final LeaseFence fence;

	private final ResourceDisposer disposer;

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<@Nullable Watch> current = new ThreadLocal<>();

	/**
	 * Creates a guard.
	 * @param transactionManager the transaction manager of the business rows, chosen when
	 * it is needed
	 * @param fence the fence of leased runs
	 * @param disposer gives up a resource of a transaction that its owner has left on the
	 * thread, so that it is rolled back and not used again
	 */
	public ThreadGuard(Supplier<PlatformTransactionManager> transactionManager, LeaseFence fence,
			ResourceDisposer disposer) {
		this.transactionManager = SingletonSupplier.of(transactionManager);
		this.fence = fence;
		this.disposer = disposer;
	}

	/**
	 * Notes the transactions that the transaction manager of the business rows begins.
	 * @return the listener to be added to that transaction manager
	 */
	public TransactionExecutionListener listener() {
		return new BeginListener();
	}

	/**
	 * Reports what another transaction manager commits within the transaction of a
	 * protected request, once for each handler: it is not undone if the request fails,
	 * and is done again by its retry.
	 * @param name the bean name of the other transaction manager
	 * @return the listener to be added to it
	 */
	public TransactionExecutionListener foreignListener(String name) {
		return new TransactionExecutionListener() {

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				Watch watch = ThreadGuard.this.current.get();
				if (watch != null && ThreadGuard.this.fence.current() == null && commitFailure == null
						&& transaction.isNewTransaction() && !transaction.isReadOnly()
						&& ThreadGuard.this.reported.add(watch.handler)) {
					LogEvent.COMMITTED_ELSEWHERE.log(logger,
							"The transaction manager '" + name
									+ "' has committed, and the record is in the transaction of another one ["
									+ watch.handler + "]");
				}
			}

		};
	}

	/**
	 * Begins to watch the current thread.
	 * @param handler the name of the handler that it works for
	 * @return the watch, to be closed by the same thread
	 */
	public Watch watch(String handler) {
		Watch watch = new Watch(handler, this.current.get());
		this.current.set(watch);
		return watch;
	}

	/**
	 * Lets nothing be committed of the transaction that is open on the current thread,
	 * whoever commits it. One of another transaction manager is its owner's business.
	 */
	public void rollBackOnly() {
		try {
			PlatformTransactionManager business = this.transactionManager.obtain();
			TransactionStatus joined = business.getTransaction(MANDATORY);
			joined.setRollbackOnly();
			business.rollback(joined);
		}
		catch (IllegalTransactionStateException ex) {
			logger.debug("The open transaction belongs to another transaction manager", ex);
		}
	}

	/**
	 * The time during which a thread works for a request.
	 */
	public final class Watch {

		private final String handler;

		private final @Nullable Watch outer;

		private final BoundTransactions before = BoundTransactions.ofThread();

		private final @Nullable OpenTransaction open = OpenTransaction.current();

		private final @Nullable FencedRun run = ThreadGuard.this.fence.current();

		private @Nullable Begun last;

		private Watch(String handler, @Nullable Watch outer) {
			this.handler = handler;
			this.outer = outer;
		}

		private void begun(TransactionStatus transaction) {
			this.last = new Begun(transaction, lastOpen());
		}

		private @Nullable Begun lastOpen() {
			while (this.last != null && this.last.transaction().isCompleted()) {
				this.last = this.last.earlier();
			}
			return this.last;
		}

		/**
		 * Ends all transactions that were begun and not ended, but for one. Logs an error
		 * if there is any.
		 * @param own the transaction that will hold the answer, {@code null} if none does
		 * @return whether there was any
		 */
		public boolean endLeaked(@Nullable TransactionStatus own) {
			boolean leaked = false;
			for (Begun begun = lastOpen(); begun != null && begun.transaction() != own; begun = lastOpen()) {
				leaked = true;
				rollBack(begun.transaction());
				this.last = begun.earlier();
			}
			if (own == null) {
				leaked |= this.before.restore(ThreadGuard.this.disposer);
			}
			if (leaked) {
				LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
						"A transaction was left open and was rolled back [" + this.handler + "]");
			}
			return leaked;
		}

		/**
		 * As {@link #endLeaked}, and fail if there was any: what was done in it is not
		 * part of the answer.
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
				ThreadGuard.this.transactionManager.obtain().rollback(transaction);
			}
			catch (RuntimeException ex) {
				LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.handler + "]", ex);
			}
		}

		/**
		 * Stops watching, with the request still at work on this thread.
		 */
		public void pause() {
			if (ThreadGuard.this.current.get() != this) {
				return;
			}
			if (this.outer != null) {
				ThreadGuard.this.current.set(this.outer);
			}
			else {
				ThreadGuard.this.current.remove();
			}
		}

		/**
		 * Stops watching. The thread carries nothing of the request afterwards.
		 * @return whether the thread had to be cleaned
		 */
		public boolean end() {
			boolean leaked = endLeaked(null);
			pause();
			return restoreBindings() || leaked;
		}

		private boolean restoreBindings() {
			OpenTransaction left = OpenTransaction.current();
			FencedRun leftRun = ThreadGuard.this.fence.current();
			if ((left == null || left == this.open) && (leftRun == null || leftRun == this.run)) {
				return false;
			}
			OpenTransaction.restore(this.open);
			ThreadGuard.this.fence.restore(this.run);
			LogEvent.TRANSACTION_LEFT_OPEN.log(logger,
					"The thread still belonged to a request that is over [" + this.handler + "]");
			return true;
		}

	}

	/**
	 * A transaction, and those that were begun before it and not ended either.
	 *
	 * @param transaction the transaction
	 * @param earlier the earlier ones
	 */
	private record Begun(TransactionStatus transaction, @Nullable Begun earlier) {
	}

	/**
	 * Told by the transaction manager of each transaction, on its thread.
	 */
	private final class BeginListener implements TransactionExecutionListener {

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
			Watch watch = ThreadGuard.this.current.get();
			if (watch != null && beginFailure == null && transaction.isNewTransaction()
					&& transaction instanceof TransactionStatus status) {
				watch.begun(status);
			}
		}

	}

}
