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
import dev.idempotency.engine.observation.StageObserver.ActiveStage;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * A call that this node owns and executes. It ends in one of three ways: {@link #finish};
 * {@link #release} and then {@link #recordFailure}; {@link #release} and then
 * {@link #endUnanswered}.
 */
public non-sealed interface Execution extends Claim {

	/**
	 * Makes the current thread run the call. The claiming thread does so from the start.
	 */
	void enterThread();

	/**
	 * Ends the work of the current thread for the call.
	 */
	void leaveThread();

	/**
	 * Observes the work of the current thread as part of the run of the call.
	 * @return the scope, to be closed by the same thread
	 */
	default ActiveStage.Scope openScope() {
		return ActiveStage.Scope.NONE;
	}

	/**
	 * Returns the transaction that will hold the answer, open on the claiming thread.
	 * @return the transaction, or {@code null} if there is none or it has ended
	 */
	default @Nullable TransactionStatus transaction() {
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
	Reply finish(Answer answer);

	/**
	 * Rolls back the effects of a call that has failed. Does nothing if the execution has
	 * ended.
	 */
	void release();

	/**
	 * Rolls back as {@link #release} does, and records the failure.
	 * @param failure the exception of the call
	 */
	default void failed(Throwable failure) {
		release();
	}

	/**
	 * Stores the answer to a failure, after {@link #release}. Stores nothing unless the
	 * execution was released.
	 * @param answer the answer
	 * @return the reply to send, with the given answer or with that of another delivery
	 * that finished in the meantime
	 */
	Reply recordFailure(Answer answer);

	/**
	 * Ends the call without a stored answer: the next delivery may run. Does nothing
	 * unless the execution was released.
	 * @param resumption who resumes the call if some of it is done: the caller alone, if
	 * the caller was told a status with which a request ends
	 */
	void endUnanswered(Resumption resumption);

	/**
	 * Ends the call without an answer to its caller.
	 */
	default void endUnanswered() {
		endUnanswered(Resumption.ANYBODY);
	}

	/**
	 * The reply to a delivery whose call has ended.
	 */
	sealed interface Reply permits Reply.Own, Claim.Replayed {

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
