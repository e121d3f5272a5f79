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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.backoff.BackOffExecution;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.RequestTransactions.CommitWatch;
import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.store.Identity;

/**
 * The phases of a request while its handler runs.
 * <ol>
 * <li>A phase is one transaction. Its first statement locks the claim and its last one
 * stores the result of the step, so effects and result become durable together.</li>
 * <li>Between phases no transaction is open. A run that ends there leaves a claim with a
 * recovery point, from which the next run resumes.</li>
 * <li>If the commit of a phase gets no reply, the database is asked for its outcome
 * before anything else of the request runs.</li>
 * <li>The last phase stays open until the response is rendered.</li>
 * </ol>
 */
class PhasedWork {

	/**
	 * The default isolation: the statement that locks the claim sets the isolation of the
	 * phase.
	 */
	private static final TransactionDefinition DEFINITION = new DefaultTransactionDefinition();

	private final DuplicateHandler duplicates;

	private final ClaimRequest request;

	private final FencedRun run;

	private final Hold.OfLease hold;

	private final StepProgress steps;

	private final boolean calledWithinScope = TransactionSynchronizationManager.isSynchronizationActive();

	private final BackOffExecution conflictPauses;

	private final Execution execution;

	private boolean inPhase;

	/**
	 * Set if the application runs a statement first in each transaction, for example to
	 * select the tenant. The isolation cannot be set afterwards.
	 */
	private boolean isolatedAtBegin;

	/**
	 * Creates the work of a request.
	 * @param duplicates creates the failures that callers get
	 * @param request the request
	 * @param hold the claim
	 * @param done the steps that earlier attempts have completed
	 */
	PhasedWork(DuplicateHandler duplicates, ClaimRequest request, Hold.OfLease hold, StepResults done) {
		this.duplicates = duplicates;
		this.request = request;
		this.run = hold.run();
		this.hold = hold;
		this.steps = new StepProgress(duplicates, request, this.run, duplicates.settings().lease().duration(), done);
		this.conflictPauses = duplicates.settings().retry().getBackOff().start();
		this.run.resumeBy(this, !done.results().isEmpty() || !done.begun().isEmpty() || request.recovery() != null);
		// The execution asks its hold, and that the run, whether there is work to resume.
		this.execution = new Execution(duplicates, request, hold, null);
	}

	Execution execution() {
		return this.execution;
	}

	Identity identity() {
		return this.request.identity();
	}

	/**
	 * Returns whether the outcome of its last commit is unknown. Until it is known, no
	 * transaction of the run commits.
	 * @return {@code true} until the database has decided
	 */
	boolean isInDoubt() {
		return this.steps.isInDoubt();
	}

	/**
	 * Resolves the outcome of its last commit, and refuses a response while the outcome
	 * of an external call is unknown.
	 * @throws RequestInterruptedException if there is such a call
	 */
	void requireAnswerable() {
		this.steps.resolve();
		this.steps.requireOutcomesKnown();
	}

	/**
	 * Decides, after a pause, whether the work begins again at its first step because its
	 * last one conflicted with another transaction. Completed steps are not repeated.
	 * @return {@code false} if that was tried often enough
	 */
	boolean mayRepeat() {
		long pause = this.conflictPauses.nextBackOff();
		if (pause == BackOffExecution.STOP) {
			return false;
		}
		LockSupport.parkNanos(Duration.ofMillis(pause).toNanos());
		this.steps.rewind();
		return true;
	}

	/**
	 * Reaches a step.
	 * @return its result as JSON, or {@code null} if it is to be executed now
	 * @throws UnknownStepException if it is to be executed, and this run has not reached
	 * all completed steps
	 */
	byte @Nullable [] visit(String step) {
		requireBetweenPhases(step);
		return this.steps.visit(step);
	}

	private void requireBetweenPhases(String step) {
		if (this.execution.transaction() != null) {
			throw new IllegalStateException("The phase '" + step + "' comes after finish, which is the last one");
		}
		if (this.inPhase) {
			throw new IllegalStateException("The phase '" + step + "' is within another one: phases do not nest");
		}
		this.steps.resolve();
	}

	/**
	 * Executes a step as an observed phase.
	 * @param work executes the step, including retries
	 */
	<T extends @Nullable Object> T observed(IdempotencyObservation phase, String step, Supplier<T> work) {
		return this.execution.<T>observe(phase, step, () -> this.steps.attempt(work));
	}

	/**
	 * Executes a step in a separate transaction.
	 * @param work executes the step
	 * @param format writes its result as JSON
	 */
	<T extends @Nullable Object> T runPhase(String step, Isolation isolation, Supplier<? extends T> work,
			Function<T, byte[]> format) {
		return inTransaction(isolation, (transaction) -> {
			T value = work.get();
			// Versions and generated columns are part of the result.
			transaction.flush();
			byte[] result = format.apply(value);
			StepResults advanced = this.steps.store(step, result);
			this.run.keepProgress();
			commit(transaction, (failure) -> this.steps.isCommitted(step, advanced, failure));
			this.steps.committed(advanced);
			return value;
		});
	}

	/**
	 * Executes an external call outside all transactions.
	 * @param probed whether the other system can be asked for the outcome of an earlier
	 * call, so that the begin of this one is stored
	 * @param work makes the call; gets whether it was begun before
	 */
	<T extends @Nullable Object> T runOutside(String step, boolean probed, Function<Boolean, T> work) {
		boolean begun = false;
		if (probed) {
			begun = this.steps.storeBegin(step);
		}
		else {
			requireHeld();
		}
		this.run.keepProgress();
		this.steps.begin(step);
		boolean before = begun;
		return inPhase(() -> work.apply(before));
	}

	/**
	 * Notes that an external call was rejected.
	 */
	void rejected(String step) {
		this.steps.rejected(step);
	}

	private void requireHeld() {
		boolean held;
		try {
			held = this.run.isHeld();
		}
		catch (RuntimeException ex) {
			throw this.duplicates.unavailable(this.request, StorePhase.PHASE, ex);
		}
		if (!held) {
			throw new LeaseLostException();
		}
	}

	/**
	 * Stores the result of a step that was executed outside all transactions.
	 */
	void complete(String step, byte[] result) {
		this.steps.complete(step, result);
	}

	/**
	 * Executes the last step. Its transaction stays open until the response is stored,
	 * and must not begin within the synchronization scope of a method: that scope would
	 * end before the transaction, with its callbacks.
	 */
	<T extends @Nullable Object> T openFinish(Isolation isolation, Supplier<? extends T> work) {
		requireBetweenPhases("finish");
		this.steps.requireAllVisited();
		this.steps.requireOutcomesKnown();
		if (!this.calledWithinScope && TransactionSynchronizationManager.isSynchronizationActive()) {
			throw new IllegalTransactionStateException("The last phase cannot begin: a method around it is "
					+ "@Transactional with SUPPORTS, NOT_SUPPORTED or NEVER. Remove that, or call finish outside it.");
		}
		T result = inTransaction(isolation, (transaction) -> {
			T value = work.get();
			transaction.flush();
			this.execution.finishIn(transaction);
			return value;
		});
		// The open transaction ends the lease, so the fence applies only to other
		// transactions.
		this.hold.leaveThread();
		return result;
	}

	/**
	 * Begins a transaction that locks the claim, and runs work in it. The work commits
	 * the transaction; if the work fails, it is rolled back.
	 * @param isolation the isolation of the transaction
	 * @param work the work, which also commits
	 * @throws LeaseLostException if another owner has taken over the request
	 * @throws StoreUnavailableException if the connection to the database failed
	 */
	private <T extends @Nullable Object> T inTransaction(Isolation isolation, Function<TransactionStatus, T> work) {
		return inPhase(() -> runInTransaction(isolation, work));
	}

	private <T extends @Nullable Object> T runInTransaction(Isolation isolation, Function<TransactionStatus, T> work) {
		OpenTransaction open = new OpenTransaction(this.request.operation().name());
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
	private void commit(TransactionStatus transaction, Predicate<Throwable> inDoubt) {
		CommitWatch watch = new CommitWatch();
		try {
			watch.commit(this.duplicates.transactionManager(), transaction, this.request);
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
			this.run.hold(held);
			return transaction;
		}
		catch (RuntimeException | Error ex) {
			this.duplicates.rollBack(transaction, ex);
			throw ex;
		}
	}

	private <T extends @Nullable Object> T inPhase(Supplier<T> work) {
		this.inPhase = true;
		try {
			return work.get();
		}
		finally {
			this.inPhase = false;
		}
	}

	/**
	 * Creates the exception for work that cannot continue now.
	 * @param cause the transient failure
	 */
	RequestInterruptedException interrupted(Throwable cause) {
		return new RequestInterruptedException(EngineSettings.RETRY_AFTER, cause);
	}

}
