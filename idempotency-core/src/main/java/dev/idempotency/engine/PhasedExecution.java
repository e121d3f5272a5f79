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

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.util.backoff.BackOffExecution;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.CallHold;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.execution.LeasedExecution;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * The execution of a request in phases. The answer commits with the last phase if that is
 * still open, and otherwise separately. A last phase that cannot be serialised is rolled
 * back, and the handler is called again: completed steps are not repeated.
 */
final class PhasedExecution extends Execution {

	private final FencedRun run;

	private final LeasedExecution leased;

	private final StepProgress steps;

	private final PhasedWork work;

	private final BackOffExecution conflictPauses;

	/**
	 * Creates an execution.
	 * @param decisions the answers to failures
	 * @param call the request
	 * @param hold the claim
	 * @param done the steps that earlier attempts have completed
	 * @param settings the settings of phases
	 */
	PhasedExecution(CallDecisions decisions, Call call, CallHold.OfLease hold, StepResults done,
			EngineSettings.Phases settings) {
		super(call.observation());
		this.run = hold.run();
		this.leased = new LeasedExecution(decisions, call, hold, RequestObservation.NONE);
		this.steps = new StepProgress(decisions, call, this.run, hold.keeper().settings().duration(), done);
		this.work = new PhasedWork(decisions, call, hold, this.steps);
		this.conflictPauses = settings.retry().getBackOff().start();
		this.run.resumeBy(this.work, !done.results().isEmpty() || !done.begun().isEmpty() || call.recovery() != null);
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
		Execution open = this.work.finishing();
		return (open != null) ? open.transaction() : null;
	}

	@Override
	protected Reply store(Answer answer) {
		this.steps.resolve();
		Execution open = this.work.finishing();
		if (open == null) {
			this.steps.requireOutcomesKnown();
			return this.leased.finish(answer);
		}
		Reply reply;
		try {
			reply = open.finish(answer);
		}
		catch (RuntimeException ex) {
			this.work.finishEnded();
			if (CommitFailure.isConflict(ex)) {
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
			return this.work.interrupted(conflict);
		}
		LockSupport.parkNanos(pause * 1_000_000);
		this.steps.rewind();
		enterThread();
		return new FinishConflictException(conflict);
	}

	@Override
	public void release() {
		Execution open = this.work.finishing();
		if (open != null) {
			open.release();
			this.work.finishEnded();
		}
		this.leased.release();
	}

	@Override
	public void failed(Throwable failure) {
		this.run.failed(failure);
		super.failed(failure);
	}

	@Override
	public boolean isReleased() {
		return this.leased.isReleased();
	}

	@Override
	protected Reply storeFailure(Answer answer) {
		this.steps.resolve();
		this.steps.requireOutcomesKnown();
		return this.leased.recordFailure(answer);
	}

	@Override
	protected void end(Resumption resumption) {
		this.leased.endUnanswered(resumption);
	}

}
