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
import java.util.Optional;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Patience;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Progress;

/**
 * A step of a request that was to be committed and whose commit was not confirmed. Until
 * the database has reported its outcome, nothing else of the request runs.
 *
 * @param step the name of the step
 * @param from the recovery point before it, {@code null} if it is the first
 * @param advanced the results of all steps, if it was committed
 * @param kind what is done if it was not
 */
record PhaseDoubt(String step, @Nullable String from, StepResults advanced, Kind kind) {

	private static final Log logger = LogFactory.getLog(PhaseDoubt.class);

	/**
	 * The time for which the database is asked before the caller has to retry.
	 */
	private static final Duration RESOLUTION_LIMIT = Duration.ofSeconds(5);

	enum Kind {

		/**
		 * Its effects were rolled back: it is executed again.
		 */
		TRANSACTION,

		/**
		 * It was done elsewhere, and its result is stored now.
		 */
		OUTSIDE

	}

	/**
	 * Asks the database.
	 * @param run the request
	 * @param store stores the result of a step that was done elsewhere
	 * @return whether the step is committed
	 * @throws LeaseLostException if another owner has taken over the request
	 * @throws dev.idempotency.exception.StoreUnavailableException if the database does
	 * not answer
	 */
	boolean resolve(Call call, FencedRun run, CallDecisions decisions, Store store, Throwable failure) {
		LogEvent.COMMIT_IN_DOUBT.log(logger, "The outcome of the step '" + this.step
				+ "' is unknown, asking the database [" + call.operation().name() + ", " + call.identity() + "]",
				failure);
		Patience patience = new Patience(RESOLUTION_LIMIT);
		Throwable last = failure;
		do {
			try {
				Optional<Progress> progress = run.progress();
				String reached = progress.orElseThrow(LeaseLostException::new).recoveryPoint();
				if (this.step.equals(reached)) {
					return true;
				}
				if (this.kind == Kind.TRANSACTION) {
					return false;
				}
				if (!store.advance(this)) {
					throw new LeaseLostException();
				}
				return true;
			}
			catch (LeaseLostException ex) {
				throw ex;
			}
			catch (RuntimeException ex) {
				last = ex;
			}
		}
		while (patience.pause());
		throw decisions.unavailable(call, StorePhase.PHASE, last);
	}

	/**
	 * Stores the results of the steps.
	 */
	@FunctionalInterface
	interface Store {

		boolean advance(PhaseDoubt doubt);

	}

}
