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
package dev.idempotency.engine.lease;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore;

/**
 * Prevents the commit of every transaction of a leased run after the lease is lost,
 * whoever opened it. Each transaction checks the fence in its last statement, on its own
 * connection; the row lock of that statement keeps the lease until the commit has ended.
 * <p>
 * As a decorator it passes the run to the threads of an executor, with the key for calls
 * of other systems.
 */
public final class LeaseFence implements TaskDecorator {

	private final ThreadLocal<@Nullable FencedRun> current = new ThreadLocal<>();

	/**
	 * Creates a run within the run of the current thread.
	 */
	public FencedRun run(LeaseStore store, Lease lease, String operation, boolean counted) {
		return new FencedRun(store, lease, operation, counted, this.current.get());
	}

	/**
	 * Makes the transactions of the current thread belong to a run.
	 */
	public void enter(FencedRun run) {
		restore(run);
	}

	/**
	 * Makes the transactions of the current thread belong to the enclosing run, if they
	 * belong to this run.
	 */
	public void leave(FencedRun run) {
		if (this.current.get() == run) {
			restore(run.outer());
		}
	}

	/**
	 * Assigns transactions begun by callbacks of the current transaction to a run whose
	 * lease ends with this commit. Before the commit they could belong to a former owner,
	 * so they are fenced; after it they belong to no run.
	 */
	public void guardCommit(FencedRun run) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			enter(run);
			TransactionSynchronizationManager.registerSynchronization(new CommitGuard(() -> leave(run)));
		}
	}

	/**
	 * Returns the resumable work of the run of the current thread.
	 * @return the work, or {@code null} if there is no run, or none that resumes
	 */
	public @Nullable ResumableWork work() {
		FencedRun run = this.current.get();
		return (run != null) ? run.work() : null;
	}

	/**
	 * Returns the run to which the transactions of the current thread belong.
	 */
	public @Nullable FencedRun current() {
		return this.current.get();
	}

	/**
	 * Makes the transactions of the current thread belong to a run, or to none.
	 */
	public void restore(@Nullable FencedRun run) {
		if (run != null) {
			this.current.set(run);
		}
		else {
			this.current.remove();
		}
	}

	@Override
	public Runnable decorate(Runnable task) {
		OutgoingKey key = OutgoingKey.current();
		Runnable keyed = (key != null) ? () -> key.run(task) : task;
		FencedRun run = this.current.get();
		if (run == null) {
			return keyed;
		}
		return () -> {
			FencedRun before = this.current.get();
			restore(run);
			try {
				keyed.run();
			}
			finally {
				restore(before);
			}
		};
	}

	/**
	 * Returns the listener to add to the transaction manager of the business rows. The
	 * fence itself is a bean, and as a listener Spring Boot would add it to all
	 * transaction managers.
	 * @return the listener
	 */
	public TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {

			/**
			 * Refuses the transaction before it takes a connection, while the transaction
			 * manager can still resume the outer one.
			 */
			@Override
			public void beforeBegin(TransactionExecution transaction) {
				FencedRun run = LeaseFence.this.current.get();
				if (run != null && run.isLocked() && !transaction.isReadOnly()) {
					throw new InvalidIdempotentException("The transaction " + transaction.getTransactionName()
							+ " was begun while another one of the same leased request is open, which locks the lease "
							+ "until it ends: at an isolation above READ COMMITTED neither could commit before the other.",
							"Call the code that began it, with REQUIRES_NEW or on another thread, outside the other "
									+ "transaction; or set the isolation of the connections to READ COMMITTED.");
				}
			}

			@Override
			public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
				FencedRun run = LeaseFence.this.current.get();
				if (run != null && beginFailure == null && transaction.isNewTransaction() && !transaction.isReadOnly()
						&& TransactionSynchronizationManager.isSynchronizationActive()) {
					Check check = new Check(run);
					TransactionSynchronizationManager.registerSynchronization(check);
					check.begin();
				}
			}

		};
	}

	/**
	 * The check at the end of one transaction.
	 */
	private static final class Check implements TransactionSynchronization {

		private final FencedRun run;

		private boolean holding;

		private @Nullable RuntimeException failure;

		private boolean passed;

		Check(FencedRun run) {
			this.run = run;
		}

		/**
		 * Fails with the commit: what a listener throws here would leave the transaction
		 * open.
		 */
		void begin() {
			try {
				this.holding = this.run.holdUntilCommitted();
			}
			catch (RuntimeException ex) {
				this.failure = ex;
			}
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (this.failure != null) {
				throw this.failure;
			}
			if (!this.run.mayCommit()) {
				throw new LeaseLostException();
			}
			this.passed = true;
		}

		@Override
		public void afterCompletion(int status) {
			if (this.holding) {
				this.run.letGo();
			}
			if (this.passed && status != STATUS_COMMITTED) {
				this.run.doubt();
			}
		}

	}

}
