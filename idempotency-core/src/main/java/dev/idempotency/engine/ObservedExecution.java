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

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * An execution with observed stages: the run, from the claim to the answer or failure,
 * and the storage of the answer.
 */
final class ObservedExecution implements Execution {

	private final Execution execution;

	private final ActiveStage claim;

	private final ActiveStage run;

	private boolean finishing;

	private ObservedExecution(Execution execution, ActiveStage claim, ActiveStage run) {
		this.execution = execution;
		this.claim = claim;
		this.run = run;
	}

	static Claim claim(Call call, StageObserver stages, Function<Call, Claim> claims) {
		ActiveStage stage = stages.begin(Stage.CLAIM, call.operation().name(), call.operation().mode(), null);
		Claim claim = stage.during(() -> claims.apply(call),
				(claimed) -> (claimed instanceof Execution) ? Stage.Outcome.ACQUIRED : Stage.Outcome.REPLAYED);
		return (claim instanceof Execution execution) ? new ObservedExecution(execution, stage, run(call, stage))
				: claim;
	}

	private static ActiveStage run(Call call, ActiveStage claim) {
		return (call.commits() == Call.EffectCommits.IN_PHASES) ? ActiveStage.UNOBSERVED : claim.next(Stage.RUN);
	}

	@Override
	public ActiveStage.Scope openScope() {
		return this.run.openScope();
	}

	@Override
	public void enterThread() {
		this.execution.enterThread();
	}

	@Override
	public void leaveThread() {
		this.execution.leaveThread();
	}

	@Override
	public @Nullable TransactionStatus transaction() {
		return this.execution.transaction();
	}

	@Override
	public Reply finish(Answer answer) {
		this.run.end(Stage.Outcome.COMPLETED, null);
		this.finishing = true;
		return observeFinish(() -> this.execution.finish(answer));
	}

	@Override
	public void release() {
		this.run.end(Stage.Outcome.RELEASED, null);
		this.execution.release();
	}

	@Override
	public void failed(Throwable failure) {
		this.run.end(Stage.Outcome.of(failure), failure);
		this.execution.failed(failure);
	}

	/**
	 * After an attempt to finish, no answer is left to store.
	 */
	@Override
	public Reply recordFailure(Answer answer) {
		return this.finishing ? this.execution.recordFailure(answer)
				: observeFinish(() -> this.execution.recordFailure(answer));
	}

	@Override
	public void endUnanswered(Resumption resumption) {
		this.execution.endUnanswered(resumption);
	}

	private Reply observeFinish(StageObserver.Work<Reply, RuntimeException> work) {
		return this.claim.next(Stage.FINISH)
			.during(work,
					(reply) -> (reply instanceof Claim.Replayed) ? Stage.Outcome.REPLAYED : Stage.Outcome.COMPLETED);
	}

}
