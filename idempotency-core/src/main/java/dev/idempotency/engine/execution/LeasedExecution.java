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
package dev.idempotency.engine.execution;

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * Runs a call under a lease, without a transaction around it. The handler may open
 * transactions, and each is fenced. The answer is stored after the handler has returned.
 * <p>
 * A failure to store the answer is not a failure of the handler: the lease is left to
 * expire, and the call does not run again before.
 */
public final class LeasedExecution extends Execution {

	private static final Log logger = LogFactory.getLog(LeasedExecution.class);

	/**
	 * The time for which storing an answer is tried again before the caller has to retry.
	 */
	private static final Duration FINISH_LIMIT = Duration.ofSeconds(5);

	private enum State {

		OPEN, RELEASED, ENDED

	}

	private final CallDecisions decisions;

	private final Call call;

	private final CallHold hold;

	private State state = State.OPEN;

	/**
	 * Creates an execution.
	 * @param decisions decides about the answer of another delivery
	 * @param call the call
	 * @param hold the lease
	 * @param observation the observation of the call
	 */
	public LeasedExecution(CallDecisions decisions, Call call, CallHold hold, RequestObservation observation) {
		super(observation);
		this.decisions = decisions;
		this.call = call;
		this.hold = hold;
	}

	@Override
	public void enterThread() {
		this.hold.enterThread();
	}

	@Override
	public void leaveThread() {
		this.hold.leaveThread();
	}

	@Override
	protected Reply store(Answer answer) {
		this.state = State.ENDED;
		leaveThread();
		try {
			FinishedRecord finished = this.decisions.toRecord(this.call, answer, this.hold.token());
			return write(finished) ? executed(answer, finished) : superseded(answer, finished);
		}
		finally {
			// With or without an answer, the lease may expire now.
			this.hold.letGo();
		}
	}

	private boolean write(FinishedRecord finished) {
		Patience patience = new Patience(FINISH_LIMIT);
		while (true) {
			try {
				return this.hold.finish(finished);
			}
			catch (RuntimeException ex) {
				this.decisions.notifications()
					.publish(new StoreFailed(this.call.operation().name(), StorePhase.FINISH));
				if (!patience.pause()) {
					throw this.decisions.unavailable(this.call, StorePhase.FINISH, ex);
				}
				LogEvent.ANSWER_NOT_STORED.log(logger,
						"The answer could not be stored, trying again [" + this.call.operation().name() + "]", ex);
			}
		}
	}

	private Reply executed(Answer answer, FinishedRecord finished) {
		this.decisions.remembered().keep(this.call, finished);
		return executed(answer);
	}

	/**
	 * Notes that the record of this execution is durable.
	 */
	public Reply executed(Answer answer) {
		this.state = State.ENDED;
		this.hold.finished();
		this.decisions.notifications().publish(new Executed(this.call.operation().name(), this.call.elapsed()));
		return new Reply.Own(answer);
	}

	/**
	 * Notes that another delivery has finished the call.
	 */
	public Reply endedBy(Claim.Replayed theirs) {
		this.state = State.ENDED;
		this.hold.letGo();
		leaveThread();
		return theirs;
	}

	/**
	 * Handles a lost lease. Another owner has it, or an earlier attempt to store the
	 * answer succeeded and its reply was lost.
	 */
	private Reply superseded(Answer answer, FinishedRecord finished) {
		if (this.decisions.probe(this.call, StorePhase.RESOLVE) instanceof Attempt.Found found) {
			return found.stored().isWrittenAs(finished) ? executed(answer, finished)
					: this.decisions.replay(this.call, found.stored());
		}
		throw new LeaseLostException();
	}

	/**
	 * Keeps the lease without a heartbeat until the answer to the failure is stored, or
	 * there is none.
	 */
	@Override
	public void release() {
		if (this.state == State.OPEN) {
			this.state = State.RELEASED;
			this.hold.letGo();
			leaveThread();
		}
	}

	@Override
	public boolean isReleased() {
		return this.state == State.RELEASED;
	}

	@Override
	protected Reply storeFailure(Answer answer) {
		return store(answer);
	}

	@Override
	protected void end(Resumption resumption) {
		this.state = State.ENDED;
		String operation = this.call.operation().name();
		this.decisions.notifications()
			.publish(this.hold.end(resumption) ? new Interrupted(operation, this.call.elapsed())
					: new Released(operation, this.call.elapsed()));
	}

}
