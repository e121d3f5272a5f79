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

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.LeaseStore.Resumption;

/**
 * A run under a lease, shared by all threads that work for it. Work that the handler has
 * started without waiting for it may outlive the run. Once the response is stored, such
 * work belongs to the effective run and no longer needs the lease.
 */
final class FencedRun {

	private static final String LEFT = "The sender was told a status that ends the request, and only the sender resumes it";

	private final LeaseStore store;

	private final LeaseKeeper keeper;

	private final Lease lease;

	private final String operation;

	private final boolean counted;

	private final @Nullable FencedRun outer;

	private final Thread thread = Thread.currentThread();

	private final PendingResponse response = new PendingResponse();

	/**
	 * The number of open transactions that have locked the lease from their begin.
	 */
	private final AtomicInteger holders = new AtomicInteger();

	private volatile boolean inDoubt;

	private @Nullable PhasedWork work;

	/**
	 * Set if the next attempt needs the stored progress.
	 */
	private volatile boolean keepsProgress;

	private volatile @Nullable Throwable failure;

	/**
	 * Creates a run.
	 * @param store the store of the lease
	 * @param keeper the heartbeat of the lease
	 * @param operation the operation's name
	 * @param counted whether an interruption counts as an attempt
	 * @param outer the enclosing run, {@code null} if there is none
	 */
	FencedRun(LeaseStore store, LeaseKeeper keeper, Lease lease, String operation, boolean counted,
			@Nullable FencedRun outer) {
		this.store = store;
		this.keeper = keeper;
		this.lease = lease;
		this.operation = operation;
		this.counted = counted;
		// A claim of the completer is kept until there is a response.
		this.keepsProgress = counted;
		this.outer = outer;
	}

	/**
	 * Notes that the progress of this run is stored, and that the next run resumes from
	 * it.
	 * @param work the work
	 * @param hasProgress whether some of it is already completed
	 */
	void resumeBy(PhasedWork work, boolean hasProgress) {
		this.work = work;
		this.keepsProgress = hasProgress;
	}

	@Nullable PhasedWork work() {
		return this.work;
	}

	void keepProgress() {
		this.keepsProgress = true;
	}

	boolean keepsProgress() {
		return this.keepsProgress;
	}

	void failed(Throwable failure) {
		this.failure = failure;
	}

	boolean isHeld() {
		return this.store.isHeld(this.lease);
	}

	/**
	 * Locks the lease in the first statement of a phase.
	 * @param isolation the isolation of the transaction
	 * @throws LeaseLostException if the lease is lost
	 */
	void hold(Isolation isolation) {
		if (!this.keeper.lock(this.lease, () -> this.store.hold(this.lease, isolation))) {
			throw new LeaseLostException();
		}
	}

	/**
	 * Locks the lease in the first statement of the transaction that stores the response,
	 * if a heartbeat would end it with a conflict.
	 * @throws LeaseLostException if the lease is lost
	 */
	void holdUntilAnswered() {
		if (!readsCommitted()) {
			hold(Isolation.DEFAULT);
			this.response.lock();
		}
	}

	/**
	 * Refuses another transaction of this run while one locks the lease.
	 * @param transaction the transaction that is to begin
	 * @throws InvalidIdempotentException if it would wait for the lease
	 */
	void requireUnlocked(TransactionExecution transaction) {
		if (isLocked()) {
			throw new InvalidIdempotentException("The transaction " + transaction.getTransactionName()
					+ " was begun while another one of the same leased request is open, which locks the lease "
					+ "until it ends: at an isolation above READ COMMITTED neither could commit before the other.",
					"Call the code that began it, with REQUIRES_NEW or on another thread, outside the other "
							+ "transaction; or set the isolation of the connections to READ COMMITTED.");
		}
	}

	/**
	 * Lets the current transaction, which has just begun, commit only while the lease is
	 * held. It confirms the lease before its commit, on its own connection, and the row
	 * lock of that statement keeps the lease until the commit has ended.
	 */
	void fence() {
		Fence fence = new Fence();
		TransactionSynchronizationManager.registerSynchronization(fence);
		try {
			fence.holding = holdUntilCommitted();
		}
		catch (RuntimeException ex) {
			// Fails with the commit: thrown here, it would leave the transaction open.
			fence.failure = ex;
		}
	}

	/**
	 * Locks the lease in the first statement of another transaction, if a heartbeat would
	 * end it with a conflict.
	 * @return whether the lease is locked, until {@link #unlock()}
	 */
	boolean holdUntilCommitted() {
		if (readsCommitted()) {
			return false;
		}
		holdAll();
		this.holders.incrementAndGet();
		return true;
	}

	private void holdAll() {
		if (this.outer != null) {
			this.outer.holdAll();
		}
		this.keeper.lock(this.lease, () -> this.store.hold(this.lease));
	}

	void unlock() {
		this.holders.decrementAndGet();
	}

	/**
	 * Returns whether a statement of the current transaction sees what was committed
	 * before the statement.
	 */
	private boolean readsCommitted() {
		Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		return (isolation != null) ? isolation <= TransactionDefinition.ISOLATION_READ_COMMITTED
				: this.store.readsCommitted();
	}

	/**
	 * Returns whether another transaction of this run would block when it confirms the
	 * lease.
	 */
	boolean isLocked() {
		return this.response.isLocked() || this.holders.get() > 0 || (this.outer != null && this.outer.isLocked());
	}

	boolean advance(@Nullable String from, @Nullable String step, byte[] steps, Duration duration) {
		return this.store.advance(this.lease, from, step, steps, duration);
	}

	Optional<Progress> progress() {
		return this.store.progress(this.lease);
	}

	Lease lease() {
		return this.lease;
	}

	String operation() {
		return this.operation;
	}

	/**
	 * Returns the enclosing run, {@code null} if there is none.
	 */
	@Nullable FencedRun outer() {
		return this.outer;
	}

	/**
	 * Writes the record.
	 * @return {@code false} if the lease is lost
	 */
	boolean finish(FinishedRecord finished) {
		this.response.beginStoring();
		return this.store.finish(this.lease, finished);
	}

	/**
	 * Leaves the record to the commit of the current transaction.
	 * @return {@code false} if it has to be written before the commit
	 */
	boolean finishAtCommit(FinishedRecord finished) {
		this.response.beginStoring();
		return this.store.finishAtCommit(this.lease, finished);
	}

	/**
	 * Notes that the record is durable.
	 */
	void finished() {
		this.response.decide(true);
	}

	/**
	 * Notes that a commit was not confirmed: a lost reply looks like a failure.
	 */
	void doubt() {
		this.inDoubt = true;
		if (this.outer != null) {
			this.outer.doubt();
		}
	}

	/**
	 * Ends the run without a record: the next delivery may run. After a commit in doubt
	 * this is like a crash: the next delivery runs if the lease has no effects once the
	 * commit is decided. A run of the completer has told nobody anything.
	 * @param resumption who resumes the request
	 */
	void release(Resumption resumption) {
		this.response.decide(false);
		if (this.keepsProgress || this.inDoubt) {
			boolean asAttempt = this.counted || !this.keepsProgress;
			Resumption by = this.counted ? Resumption.ANYBODY : resumption;
			String error = ErrorNames.of(this.failure);
			this.store.interrupt(this.lease, new Interruption(
					(by == Resumption.SENDER) ? LEFT + ((error != null) ? ": " + error : "") : error, asAttempt, by));
		}
		else {
			this.store.release(this.lease);
		}
	}

	/**
	 * Returns whether the current transaction may commit, for this run and all enclosing
	 * runs.
	 */
	boolean mayCommit() {
		return (this.outer == null || this.outer.mayCommit()) && (this.work == null || !this.work.isInDoubt())
				&& (this.response.isStored() || confirm() || this.response.awaitStored());
	}

	/**
	 * Confirms the lease. On the thread of the run no response is stored meanwhile, so
	 * the commit itself can check the fence.
	 */
	private boolean confirm() {
		boolean alone = this.outer == null && this.work == null && Thread.currentThread() == this.thread;
		return alone ? this.store.confirmWithCommit(this.lease, Effect.ONCE)
				: this.store.confirm(this.lease, (this.work != null) ? Effect.REPEATABLE : Effect.ONCE);
	}

	/**
	 * The fence of one transaction.
	 */
	private final class Fence implements TransactionSynchronization {

		private boolean holding;

		private @Nullable RuntimeException failure;

		private boolean passed;

		@Override
		public void beforeCommit(boolean readOnly) {
			if (this.failure != null) {
				throw this.failure;
			}
			if (!mayCommit()) {
				throw new LeaseLostException();
			}
			this.passed = true;
		}

		@Override
		public void afterCompletion(int status) {
			if (this.holding) {
				unlock();
			}
			if (this.passed && status != STATUS_COMMITTED) {
				doubt();
			}
		}

	}

	/**
	 * The response of a run as seen by its transactions on other threads.
	 */
	private static final class PendingResponse {

		/**
		 * Maximum time that a transaction waits for a response that is being stored.
		 */
		private static final Duration LIMIT = Duration.ofSeconds(10);

		private final CompletableFuture<Boolean> stored = new CompletableFuture<>();

		private volatile boolean storing;

		private volatile boolean locked;

		/**
		 * Notes that the transaction that stores the response has locked the lease until
		 * its end.
		 */
		void lock() {
			this.locked = true;
		}

		boolean isLocked() {
			return this.locked && !this.stored.isDone();
		}

		void beginStoring() {
			this.storing = true;
		}

		/**
		 * Notes whether the run has a durable response.
		 */
		void decide(boolean durable) {
			this.stored.complete(durable);
		}

		boolean isStored() {
			return this.stored.getNow(false);
		}

		boolean awaitStored() {
			return this.storing
					&& this.stored.copy().completeOnTimeout(false, LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
		}

	}

}
