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

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.observation.FinishConflictException;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * A call that this node owns and executes. It ends in one of three ways: {@link #finish};
 * {@link #release} and then {@link #recordFailure}; {@link #release} and then
 * {@link #endUnanswered}. The observation of the call ends with it.
 */
public abstract non-sealed class Execution implements Claim {

	private final RequestObservation observation;

	/**
	 * Creates an execution.
	 * @param observation the observation of the call; {@link RequestObservation#NONE} for
	 * a part of an execution
	 */
	protected Execution(RequestObservation observation) {
		this.observation = observation;
	}

	/**
	 * Makes the current thread run the call. The claiming thread does so from the start.
	 */
	public abstract void enterThread();

	/**
	 * Ends the work of the current thread for the call.
	 */
	public abstract void leaveThread();

	/**
	 * Observes the work of the current thread as part of the call.
	 * @return the scope, to be closed by the same thread
	 */
	public final Scope openScope() {
		return this.observation.openScope();
	}

	/**
	 * Returns the transaction that will hold the answer, open on the claiming thread.
	 * @return the transaction, or {@code null} if there is none or it has ended
	 */
	public @Nullable TransactionStatus transaction() {
		return null;
	}

	/**
	 * Stores the answer and commits. When this method returns, the answer in the reply
	 * and its effects are durable. Nothing may be sent to the caller earlier.
	 * @param answer the answer
	 * @return the reply to send, with the given answer or with that of another delivery
	 * that finished first; the effects of this execution are then rolled back
	 * @throws RuntimeException if the effects are rolled back or their outcome is
	 * unknown; the answer must not be sent
	 */
	public final Reply finish(Answer answer) {
		this.observation.event(Event.STORING);
		Reply reply;
		try (Scope scope = openScope()) {
			reply = store(answer);
		}
		catch (FinishConflictException ex) {
			this.observation.event(Event.CONFLICT);
			throw ex;
		}
		return ended(reply);
	}

	/**
	 * Stores the answer and commits, as {@link #finish} does.
	 */
	protected abstract Reply store(Answer answer);

	private Reply ended(Reply reply) {
		this.observation.end((reply instanceof Claim.Replayed) ? Outcome.REPLAYED : Outcome.COMPLETED);
		return reply;
	}

	/**
	 * Rolls back the effects of a call that has failed. Does nothing if the execution has
	 * ended.
	 */
	public abstract void release();

	/**
	 * Returns whether the effects are rolled back, and the call has not ended.
	 */
	public abstract boolean isReleased();

	/**
	 * Rolls back as {@link #release} does, and records the failure.
	 * @param failure the exception of the call
	 */
	public void failed(Throwable failure) {
		this.observation.failed(failure);
		release();
	}

	/**
	 * Stores the answer to a failure, after {@link #release}. Stores nothing unless the
	 * execution was released.
	 * @param answer the answer
	 * @return the reply to send, with the given answer or with that of another delivery
	 * that finished in the meantime
	 */
	public final Reply recordFailure(Answer answer) {
		if (!isReleased()) {
			this.observation.end();
			return new Reply.Own(answer);
		}
		this.observation.event(Event.STORING);
		Reply reply;
		try (Scope scope = openScope()) {
			reply = storeFailure(answer);
		}
		catch (RuntimeException | Error ex) {
			this.observation.end(ex);
			throw ex;
		}
		return ended(reply);
	}

	/**
	 * Stores the answer to a failure, as {@link #recordFailure} does.
	 */
	protected abstract Reply storeFailure(Answer answer);

	/**
	 * Ends the call without a stored answer: the next delivery may run. Does nothing
	 * unless the execution was released.
	 * @param resumption who resumes the call if some of it is done: the caller alone, if
	 * the caller was told a status with which a request ends
	 */
	public final void endUnanswered(Resumption resumption) {
		if (isReleased()) {
			end(resumption);
		}
		this.observation.end();
	}

	/**
	 * Ends the call without an answer to its caller.
	 */
	public final void endUnanswered() {
		endUnanswered(Resumption.ANYBODY);
	}

	/**
	 * Ends the call, as {@link #endUnanswered} does.
	 */
	protected abstract void end(Resumption resumption);

	/**
	 * The reply to a delivery whose call has ended.
	 */
	public sealed interface Reply permits Reply.Own, Claim.Replayed {

		/**
		 * Returns the answer to send.
		 * @return the answer
		 */
		Answer answer();

		/**
		 * The answer of the delivery's own execution.
		 *
		 * @param answer the answer
		 */
		record Own(Answer answer) implements Reply {
		}

	}

}
