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
package dev.idempotency.engine.observation;

import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;
import dev.idempotency.exception.UnknownStepException;

/**
 * The observed stages of a request.
 */
public enum Stage {

	/**
	 * The decision whether the request may run.
	 */
	CLAIM,

	/**
	 * The work itself, until its answer or its failure. Requests in phases have
	 * {@link #ATOMIC} and {@link #FOREIGN} stages instead.
	 */
	RUN,

	/**
	 * A phase in a separate transaction, retries included. The last one ends with the
	 * work: its commit is part of {@link #FINISH}.
	 */
	ATOMIC,

	/**
	 * A phase outside all transactions, until its result is stored.
	 */
	FOREIGN,

	/**
	 * The storage of the answer, and the commit.
	 */
	FINISH,

	/**
	 * The replay of a stored answer.
	 */
	REPLAY,

	/**
	 * An attempt to run a staged job.
	 */
	JOB,

	/**
	 * An attempt of the completer to complete a request.
	 */
	RECOVER;

	/**
	 * The outcome of a {@link Stage}.
	 */
	public enum Outcome {

		/**
		 * The stage completed.
		 */
		COMPLETED,

		/**
		 * The request may run.
		 */
		ACQUIRED,

		/**
		 * The caller gets the stored answer.
		 */
		REPLAYED,

		/**
		 * The answer of the work is not final; a retry runs again.
		 */
		RELEASED,

		/**
		 * Another delivery is executing the request.
		 */
		IN_PROGRESS(RequestInProgressException.class),

		/**
		 * The account has too many requests without an answer.
		 */
		LIMITED(TooManyOpenRequestsException.class),

		/**
		 * The key was used for another request.
		 */
		KEY_REUSED(KeyReusedException.class),

		/**
		 * The answer was not kept.
		 */
		NOT_REPLAYABLE(NotReplayableException.class),

		/**
		 * Another transaction was in conflict; the work is executed again.
		 */
		CONFLICT(FinishConflictException.class),

		/**
		 * Another version of the application has to continue the request.
		 */
		UNKNOWN_STEP(UnknownStepException.class),

		/**
		 * The request cannot continue now, and will be resumed.
		 */
		INTERRUPTED(RequestInterruptedException.class),

		/**
		 * Another owner has taken the request over.
		 */
		LEASE_LOST,

		/**
		 * The store failed.
		 */
		STORE_UNAVAILABLE,

		/**
		 * Any other failure.
		 */
		FAILED;

		private final @Nullable Class<? extends Throwable> failure;

		Outcome() {
			this.failure = null;
		}

		Outcome(Class<? extends Throwable> failure) {
			this.failure = failure;
		}

		/**
		 * Returns the outcome of a failed stage.
		 * @param failure the exception
		 * @return the outcome
		 */
		public static Outcome of(Throwable failure) {
			for (Outcome outcome : values()) {
				if (outcome.failure != null && outcome.failure.isInstance(failure)) {
					return outcome;
				}
			}
			if (LeaseLostException.in(failure) instanceof LeaseLostException) {
				return LEASE_LOST;
			}
			return (failure instanceof StoreUnavailableException) ? STORE_UNAVAILABLE : FAILED;
		}

		/**
		 * Returns whether the stage did its work, whatever the answer to the caller.
		 * @return {@code false} for an error
		 */
		public boolean isRegular() {
			return switch (this) {
				case COMPLETED, ACQUIRED, REPLAYED, RELEASED, IN_PROGRESS, LIMITED, KEY_REUSED, NOT_REPLAYABLE,
						CONFLICT ->
					true;
				case INTERRUPTED, UNKNOWN_STEP, LEASE_LOST, STORE_UNAVAILABLE, FAILED -> false;
			};
		}

	}

}
