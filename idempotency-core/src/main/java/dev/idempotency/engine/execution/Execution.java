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

/**
 * A call that is owned and being executed. It ends in one of three ways: {@link #finish};
 * {@link #release} and then {@link #recordFailure}; {@link #release} and then
 * {@link #endUnanswered}.
 */
public non-sealed interface Execution extends Claim {

	/**
	 * The current thread runs the call from now on. The thread that claimed it does
	 * already.
	 */
	void enterThread();

	/**
	 * The current thread does not run the call any more.
	 */
	void leaveThread();

	/**
	 * Lets what the current thread does be observed as the run of the call.
	 * @return to be closed by the same thread
	 */
	default ActiveStage.Scope openScope() {
		return ActiveStage.Scope.NONE;
	}

	/**
	 * The transaction that will hold the answer, open on the thread that has claimed the
	 * call.
	 * @return the transaction, or {@code null} if there is none, or none any more
	 */
	default @Nullable TransactionStatus transaction() {
		return null;
	}

	/**
	 * Stores the answer and commits. When this returns, the answer of the reply and its
	 * effects are durable; nothing may be sent to the caller before.
	 * @param answer the answer
	 * @return the reply to send: with the given answer, or with that of another delivery
	 * which finished the same call first, in which case the effects of this execution are
	 * rolled back
	 * @throws RuntimeException if the effects are rolled back or what became of them is
	 * not known; the answer must not be sent
	 */
	Reply finish(Answer answer);

	/**
	 * The call has failed: roll back its effects. Does nothing when the execution has
	 * ended.
	 */
	void release();

	/**
	 * The call has failed with an exception: {@link #release}, and remember with what.
	 * @param failure the exception
	 */
	default void failed(Throwable failure) {
		release();
	}

	/**
	 * Stores the answer that a failure of the call led to, after {@link #release}. Stores
	 * nothing unless the execution was released.
	 * @param answer the answer
	 * @return the reply to send: with the given answer, or with that of another delivery
	 * which finished the same call in the meantime
	 */
	Reply recordFailure(Answer answer);

	/**
	 * Ends the call without an answer to store: the next delivery may run. Does nothing
	 * unless the execution was released.
	 */
	void endUnanswered();

	/**
	 * The answer that a delivery is to get once its call has ended.
	 */
	sealed interface Reply permits Reply.Own, Claim.Replayed {

		/**
		 * The answer to send.
		 * @return the answer
		 */
		Answer answer();

		/**
		 * The delivery's own execution led to the answer.
		 *
		 * @param answer its answer
		 */
		record Own(Answer answer) implements Reply {
		}

	}

}
