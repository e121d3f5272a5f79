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

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.util.backoff.BackOffExecution;

import dev.idempotency.IdempotencyEvent.StorePhase;
import dev.idempotency.IdempotencyEvent.UnknownStep;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.observation.EventPublisher;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.observation.StageOutcome;
import dev.idempotency.engine.observation.Stopwatch;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.engine.transaction.CommitWatch;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Identity;

/**
 * A request that comes to its end phase by phase.
 * <ol>
 * <li>A phase is one transaction. Its first statement keeps the claim for it, its last
 * one stores the step's result: both or neither of effects and result are there
 * afterwards.</li>
 * <li>Between phases no transaction is open. What ends the run there leaves a claim with
 * its recovery point, from which the next run resumes.</li>
 * <li>Where the commit of a phase is not confirmed, the database is asked what became of
 * it before anything else of the request runs.</li>
 * <li>The last phase stays open until the answer is rendered, and commits with it. If it
 * cannot be serialised the handler is called once more, and reaches the steps that are
 * done without doing them.</li>
 * </ol>
 */
public final class PhasedExecution implements Execution {

	private static final Log logger = LogFactory.getLog(PhasedExecution.class);

	private final CallDecisions decisions;

	private final EventPublisher events;

	private final PlatformTransactionManager transactionManager;

	private final Call call;

	private final FencedRun run;

	private final LeaseFence fence;

	private final LeaseKeeper keeper;

	private final LeasedExecution leased;

	private final PhaseTransactions transactions;

	private final Stopwatch stopwatch;

	private final StageObserver stages;

	private final BackOffExecution conflictPauses;

	private final int attempts;

	private StepResults steps;

	private @Nullable TransactionalExecution finishing;

	private boolean inPhase;

	private volatile @Nullable PhaseDoubt doubt;

	PhasedExecution(CallDecisions decisions, EventPublisher events, PlatformTransactionManager transactionManager,
			Call call, Hold.OfLease hold, StepResults steps, int attempts, PhaseSettings settings, StageObserver stages,
			Stopwatch stopwatch) {
		this.decisions = decisions;
		this.events = events;
		this.transactionManager = transactionManager;
		this.call = call;
		this.run = hold.run();
		this.fence = hold.fence();
		this.keeper = hold.keeper();
		this.transactions = new PhaseTransactions(transactionManager, decisions, call, this.run, this.fence);
		this.leased = new LeasedExecution(decisions, events, call, hold, stopwatch);
		this.stopwatch = stopwatch;
		this.stages = stages;
		this.conflictPauses = settings.retry().getBackOff().start();
		this.steps = steps;
		this.attempts = attempts;
		this.run.resumeBy(this, !steps.isEmpty() || call.recovery() != null);
	}

	/**
	 * The identity of the request.
	 * @return the identity
	 */
	public Identity identity() {
		return this.call.identity();
	}

	/**
	 * Sets if an earlier attempt may have come further than what is known of it.
	 * @return whether this is not the first attempt
	 */
	public boolean isResumed() {
		return this.attempts > 1;
	}

	/**
	 * Come by a step.
	 * @param step its name
	 * @return its result as JSON, or {@code null} if it is to be done now
	 * @throws UnknownStepException if it is to be done and others are done that were not
	 * come by
	 */
	public byte @Nullable [] visit(String step) {
		requireBetweenPhases(step);
		byte[] result = this.steps.visit(step);
		if (result == null) {
			requireNoUnknownSteps();
		}
		return result;
	}

	private void requireBetweenPhases(String step) {
		if (this.finishing != null) {
			throw new IllegalStateException("The phase '" + step + "' comes after finish, which is the last one");
		}
		if (this.inPhase) {
			throw new IllegalStateException("The phase '" + step + "' is within another one: phases do not nest");
		}
		resolveDoubt(new IllegalStateException("The step before is in doubt"));
	}

	/**
	 * Returns whether the last step may or may not be committed.
	 */
	boolean isInDoubt() {
		return this.doubt != null;
	}

	/**
	 * Finds out what became of the last step, if that is not known.
	 * @return whether it is committed
	 */
	private boolean resolveDoubt(Throwable failure) {
		PhaseDoubt open = this.doubt;
		if (open == null) {
			return true;
		}
		boolean committed = open.resolve(this.call, this.run, this.decisions,
				(again) -> advance(again.from(), again.step(), again.advanced()), failure);
		if (committed) {
			this.steps = open.advanced();
		}
		this.doubt = null;
		return committed;
	}

	private void requireNoUnknownSteps() {
		Set<String> unknown = this.steps.unvisited();
		if (!unknown.isEmpty()) {
			this.events.publish(new UnknownStep(this.call.operation().name()));
			throw new UnknownStepException(this.decisions.retryAfter(), new LinkedHashSet<>(unknown));
		}
	}

	/**
	 * Does a step under the eyes of whoever follows the request.
	 * @param stage the kind of step
	 * @param step its name
	 * @param work does it, retries included
	 */
	public void observed(Stage stage, String step, Runnable work) {
		this.stages.<Void, RuntimeException>observe(stage, this.call.operation().name(), this.call.operation().mode(),
				step, () -> {
					work.run();
					return null;
				}, (done) -> StageOutcome.COMPLETED);
	}

	/**
	 * Does a step in a separate transaction.
	 * @param step its name
	 * @param isolation the isolation of its transaction
	 * @param work does it, and gives its result as JSON
	 */
	public void runPhase(String step, Isolation isolation, Supplier<byte[]> work) {
		inTransaction(isolation, (transaction) -> {
			StepResults advanced = this.steps.with(step, work.get());
			transaction.flush();
			PhaseTransactions.requireLease(advance(this.steps.last(), step, advanced));
			this.run.keepProgress();
			commit(transaction, step, advanced);
		});
	}

	private void commit(TransactionStatus transaction, String step, StepResults advanced) {
		CommitWatch watch = CommitWatch.register();
		try {
			this.transactionManager.commit(transaction);
			this.steps = advanced;
		}
		catch (RuntimeException | Error ex) {
			if (watch.isCommitted()) {
				this.steps = advanced;
				LogEvent.CALLBACK_FAILED.log(logger,
						"A callback after the commit failed [" + this.call.operation().name() + "]", ex);
				return;
			}
			if (CommitFailure.isDefinite(ex)) {
				throw ex;
			}
			this.doubt = new PhaseDoubt(step, this.steps.last(), advanced, PhaseDoubt.Kind.TRANSACTION);
			if (!resolveDoubt(ex)) {
				throw ex;
			}
		}
	}

	/**
	 * Does something outside all transactions that the outside world will know of.
	 * @param work does it
	 * @param <T> the type of its result
	 * @return the result
	 */
	public <T extends @Nullable Object> T runOutside(Supplier<T> work) {
		PhaseTransactions.requireLease(available(() -> this.run.isHeld()));
		this.run.keepProgress();
		this.inPhase = true;
		try {
			return work.get();
		}
		finally {
			this.inPhase = false;
		}
	}

	/**
	 * Remember the result of a step that was done outside all transactions.
	 * @param step its name
	 * @param result its result as JSON
	 */
	public void complete(String step, byte[] result) {
		String from = this.steps.last();
		StepResults advanced = this.steps.with(step, result);
		boolean held;
		try {
			held = advance(from, step, advanced);
		}
		catch (RuntimeException ex) {
			this.doubt = new PhaseDoubt(step, from, advanced, PhaseDoubt.Kind.OUTSIDE);
			resolveDoubt(ex);
			return;
		}
		PhaseTransactions.requireLease(held);
		this.steps = advanced;
	}

	/**
	 * Does the last step. Its transaction stays open until the answer is stored.
	 * @param isolation the isolation of its transaction
	 * @param work does it
	 */
	public void openFinish(Isolation isolation, Runnable work) {
		requireBetweenPhases("finish");
		requireNoUnknownSteps();
		inTransaction(isolation, (transaction) -> {
			work.run();
			transaction.flush();
			this.finishing = new TransactionalExecution(this.decisions, EventPublisher.NOBODY, this.transactionManager,
					this.call, transaction, new Hold.OfPhase(this.run), this.stopwatch);
		});
		// The open transaction ends with the lease itself: the fence is for all others.
		this.fence.leave(this.run);
	}

	private void inTransaction(Isolation isolation, Consumer<TransactionStatus> work) {
		this.inPhase = true;
		try {
			this.transactions.run(isolation, work);
		}
		finally {
			this.inPhase = false;
		}
	}

	private boolean advance(@Nullable String from, String step, StepResults advanced) {
		return this.run.advance(from, step, this.decisions.encode(this.call, advanced),
				this.keeper.settings().duration());
	}

	private boolean available(Supplier<Boolean> query) {
		try {
			return query.get();
		}
		catch (RuntimeException ex) {
			throw this.decisions.unavailable(this.call, StorePhase.PHASE, ex);
		}
	}

	/**
	 * Returns whether a phase has failed only because of what others did at the same
	 * time.
	 * @param failure what it failed with
	 * @return whether it may be tried again at once
	 */
	public static boolean isConflict(Throwable failure) {
		return CommitFailure.isConflict(failure);
	}

	/**
	 * The request cannot go on now.
	 * @param cause what is in the way
	 * @return an exception to throw
	 */
	public RequestInterruptedException interrupted(Throwable cause) {
		return new RequestInterruptedException(this.decisions.retryAfter(), cause);
	}

	@Override
	public void enterThread() {
		this.leased.enterThread();
	}

	@Override
	public void leaveThread() {
		this.leased.leaveThread();
	}

	@Override
	public @Nullable TransactionStatus transaction() {
		return (this.finishing != null) ? this.finishing.transaction() : null;
	}

	@Override
	public Reply finish(Answer answer) {
		resolveDoubt(new IllegalStateException("The last step is in doubt"));
		TransactionalExecution open = this.finishing;
		if (open == null) {
			return this.leased.finish(answer);
		}
		Reply reply;
		try {
			reply = open.finish(answer);
		}
		catch (RuntimeException ex) {
			this.finishing = null;
			if (isConflict(ex)) {
				throw tryAgain(ex);
			}
			release();
			throw ex;
		}
		return (reply instanceof Claim.Replayed theirs) ? this.leased.endedBy(theirs) : this.leased.executed(answer);
	}

	private RuntimeException tryAgain(RuntimeException conflict) {
		long pause = this.conflictPauses.nextBackOff();
		if (pause == BackOffExecution.STOP) {
			release();
			return interrupted(conflict);
		}
		LockSupport.parkNanos(pause * 1_000_000);
		this.steps = this.steps.rewound();
		enterThread();
		return new FinishConflictException(conflict);
	}

	@Override
	public void release() {
		if (this.finishing != null) {
			this.finishing.release();
			this.finishing = null;
		}
		this.leased.release();
	}

	@Override
	public void failed(Throwable failure) {
		this.run.failed(failure);
		release();
	}

	@Override
	public Reply recordFailure(Answer answer) {
		resolveDoubt(new IllegalStateException("The last step is in doubt"));
		return this.leased.recordFailure(answer);
	}

	@Override
	public void endUnanswered() {
		this.leased.endUnanswered();
	}

}
