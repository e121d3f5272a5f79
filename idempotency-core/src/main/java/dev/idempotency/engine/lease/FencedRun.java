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

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.engine.lease.LeaseFence.ResumableWork;
import dev.idempotency.engine.observation.ErrorNames;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.Shard;

/**
 * A run under a lease, as seen by all threads that work for it. Work that the handler has
 * started and not waited for may outlive the run: after an answer was stored it belongs
 * to the one effective run, and no longer needs the lease.
 */
public final class FencedRun {

	private final LeaseStore store;

	private final Shard shard;

	private final Lease lease;

	private final String operation;

	private final boolean counted;

	private final @Nullable FencedRun outer;

	private final Thread thread = Thread.currentThread();

	private final PendingAnswer answer = new PendingAnswer();

	private volatile boolean inDoubt;

	private @Nullable ResumableWork work;

	/**
	 * Set if there are effects that the next attempt has to know of.
	 */
	private volatile boolean keepsProgress;

	private volatile @Nullable Throwable failure;

	/**
	 * Creates a run.
	 * @param store the store of the lease
	 * @param shard the shard that has it, also for threads on which nothing selects it
	 * @param operation the operation's name
	 * @param counted whether an interruption counts as an attempt
	 * @param outer the run that it is a part of
	 */
	FencedRun(LeaseStore store, Shard shard, Lease lease, String operation, boolean counted,
			@Nullable FencedRun outer) {
		this.store = store;
		this.shard = shard;
		this.lease = lease;
		this.operation = operation;
		this.counted = counted;
		// A claim of the completer remains its own until there is an answer.
		this.keepsProgress = counted;
		this.outer = outer;
	}

	/**
	 * This run does work whose progress is stored: the next run resumes it.
	 * @param work the work
	 * @param hasProgress whether some of it is done already
	 */
	public void resumeBy(ResumableWork work, boolean hasProgress) {
		this.work = work;
		this.keepsProgress = hasProgress;
	}

	@Nullable ResumableWork work() {
		return this.work;
	}

	public void keepProgress() {
		this.keepsProgress = true;
	}

	public boolean keepsProgress() {
		return this.keepsProgress;
	}

	public void failed(Throwable failure) {
		this.failure = failure;
	}

	public boolean isHeld() {
		return this.shard.call(() -> this.store.isHeld(this.lease));
	}

	/**
	 * Keeps the lease for the current transaction, as its first statement.
	 * @param isolation the isolation that the transaction is to have
	 * @throws LeaseLostException if the lease is lost
	 */
	public void hold(Isolation isolation) {
		if (!this.store.hold(this.lease, isolation)) {
			throw new LeaseLostException();
		}
	}

	public boolean readsCommitted() {
		return this.store.readsCommitted();
	}

	/**
	 * As {@link #hold}, for the transaction that stores the answer.
	 */
	public void holdUntilAnswered() {
		hold(Isolation.DEFAULT);
		this.answer.lock();
	}

	/**
	 * Returns whether another transaction would wait for its own run when it confirms the
	 * lease.
	 */
	boolean isLocked() {
		return this.answer.isLocked() || (this.outer != null && this.outer.isLocked());
	}

	public boolean advance(@Nullable String from, String step, byte[] steps, Duration duration) {
		return this.store.advance(this.lease, from, step, steps, duration);
	}

	public Optional<Progress> progress() {
		return this.shard.call(() -> this.store.progress(this.lease));
	}

	Shard shard() {
		return this.shard;
	}

	public Lease lease() {
		return this.lease;
	}

	public String operation() {
		return this.operation;
	}

	@Nullable FencedRun outer() {
		return this.outer;
	}

	/**
	 * Writes the record.
	 * @return {@code false} if the lease is lost
	 */
	public boolean finish(FinishedRecord finished) {
		this.answer.beginStoring();
		return this.shard.call(() -> this.store.finish(this.lease, finished));
	}

	/**
	 * Leaves the record to the commit of the current transaction.
	 * @return {@code false} if it has to be written before
	 */
	public boolean finishAtCommit(FinishedRecord finished) {
		this.answer.beginStoring();
		return this.shard.call(() -> this.store.finishAtCommit(this.lease, finished));
	}

	/**
	 * The record is durable.
	 */
	public void finished() {
		this.answer.decide(true);
	}

	/**
	 * A commit was tried and not confirmed: a reply that was lost looks like a failure.
	 */
	void doubt() {
		this.inDoubt = true;
		if (this.outer != null) {
			this.outer.doubt();
		}
	}

	/**
	 * Ends the run without a record: the next delivery may run. After a commit in doubt
	 * it may do so as after a crash, if the database knows of no effects: the lease
	 * itself tells, once that commit is decided.
	 */
	public void release() {
		this.answer.decide(false);
		this.shard.run(() -> {
			if (this.keepsProgress || this.inDoubt) {
				boolean asAttempt = this.counted || !this.keepsProgress;
				this.store.interrupt(this.lease, new Interruption(ErrorNames.of(this.failure), asAttempt));
			}
			else {
				this.store.release(this.lease);
			}
		});
	}

	/**
	 * Returns whether the current transaction may commit for this run and those around
	 * it.
	 */
	boolean mayCommit() {
		return (this.outer == null || this.outer.mayCommit()) && (this.work == null || !this.work.isInDoubt())
				&& (this.answer.isStored() || confirm() || this.answer.awaitStored());
	}

	/**
	 * On the thread of the run no answer is stored meanwhile: a fence that is checked by
	 * the commit holds, or the lease is lost.
	 */
	private boolean confirm() {
		boolean alone = this.outer == null && this.work == null && Thread.currentThread() == this.thread;
		return alone ? this.store.confirmWithCommit(this.lease, Effect.ONCE)
				: this.store.confirm(this.lease, (this.work != null) ? Effect.REPEATABLE : Effect.ONCE);
	}

}
