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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Lease.Progress;

/**
 * The steps of a request: the completed ones, and one whose commit is in doubt.
 */
final class StepProgress {

	private static final Log logger = LogFactory.getLog(StepProgress.class);

	/** The time for which the database is asked before the caller has to retry. */
	private static final Duration RESOLUTION_LIMIT = Duration.ofSeconds(5);

	private final DuplicateHandler duplicates;

	private final ClaimRequest request;

	private final FencedRun run;

	private final Duration leaseDuration;

	private StepResults results;

	/** Completed steps that this run has not reached. */
	private final Set<String> unvisited;

	/** External calls of this run whose outcome is not known. */
	private final Set<String> unknown = new HashSet<>();

	/** Steps that were reached since the last failure of one. */
	private final Set<String> reached = new HashSet<>();

	private volatile @Nullable Doubt doubt;

	/**
	 * Creates the progress of a request.
	 * @param leaseDuration the extension of the claim by a stored step
	 * @param results the results of earlier runs
	 */
	StepProgress(DuplicateHandler duplicates, ClaimRequest request, FencedRun run, Duration leaseDuration,
			StepResults results) {
		this.duplicates = duplicates;
		this.request = request;
		this.run = run;
		this.leaseDuration = leaseDuration;
		this.results = results;
		this.unvisited = new LinkedHashSet<>(results.results().keySet());
	}

	/**
	 * Reaches a step.
	 * @return its result as JSON, or {@code null} if it is to be executed now
	 * @throws UnknownStepException as {@link #requireAllVisited()}
	 */
	byte @Nullable [] visit(String step) {
		if (!this.reached.add(step)) {
			LogEvent.STEP_REPEATED.log(logger,
					"The step '" + step + "' is reached again: it does not run, and has its first result ["
							+ this.request.operation().name() + "]");
		}
		this.unvisited.remove(step);
		byte[] result = this.results.results().get(step);
		if (result == null) {
			requireAllVisited();
			requireOutcomesKnownExcept(step);
		}
		return result;
	}

	/**
	 * Refuses to continue while the outcome of an external call is unknown, whatever the
	 * handler has made of its exception: only the call itself can be repeated.
	 * @throws RequestInterruptedException if there is such a call
	 */
	void requireOutcomesKnown() {
		requireOutcomesKnownExcept("");
	}

	private void requireOutcomesKnownExcept(String step) {
		Set<String> open = new TreeSet<>(this.results.begun());
		open.addAll(this.unknown);
		open.remove(step);
		if (!open.isEmpty()) {
			throw new RequestInterruptedException(EngineSettings.RETRY_AFTER, new IllegalStateException(
					"The outcome of these external calls is unknown, so that no other step may follow: " + open));
		}
	}

	/**
	 * Begins an external call, whose outcome is unknown from now on.
	 */
	void begin(String step) {
		this.unknown.add(step);
	}

	/**
	 * Stores that an external call begins, unless that is stored.
	 * @return whether it was begun before, and may have had its effect
	 * @throws LeaseLostException if the claim is lost
	 */
	boolean storeBegin(String step) {
		if (this.results.begun().contains(step)) {
			return true;
		}
		StepResults begun = this.results.beginning(step);
		try {
			advance(this.results.last(), this.results.last(), begun);
		}
		catch (LeaseLostException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			// The call is not made, so that it does not matter what is stored.
			throw this.duplicates.unavailable(this.request, StorePhase.PHASE, ex);
		}
		this.results = begun;
		return false;
	}

	/**
	 * Notes that an external call had no effect.
	 */
	void rejected(String step) {
		this.unknown.remove(step);
		this.results = this.results.without(step);
	}

	/**
	 * Refuses to continue if this run has not reached all completed steps: another
	 * version of the program has completed the others.
	 * @throws UnknownStepException if there are such steps
	 */
	void requireAllVisited() {
		if (!this.unvisited.isEmpty()) {
			this.duplicates.notifications().publish(new UnknownStep(this.request.operation().name()));
			throw new UnknownStepException(EngineSettings.RETRY_AFTER, this.unvisited);
		}
	}

	/** Starts again at the first step, and keeps all results. */
	void rewind() {
		this.unvisited.addAll(this.results.results().keySet());
		this.reached.clear();
	}

	/** Executes a step. After a failure the caller may also repeat earlier steps. */
	<T extends @Nullable Object> T attempt(Supplier<T> work) {
		try {
			return work.get();
		}
		catch (RuntimeException | Error ex) {
			this.reached.clear();
			throw ex;
		}
	}

	/**
	 * Stores the result of a step in the current transaction.
	 * @return the results of all steps if that transaction commits
	 * @throws LeaseLostException if the claim is lost
	 */
	StepResults store(String step, byte[] result) {
		StepResults advanced = this.results.with(step, result);
		advance(this.results.last(), step, advanced);
		return advanced;
	}

	/** Notes that the transaction with the result of a step is committed. */
	void committed(StepResults advanced) {
		this.results = advanced;
	}

	/**
	 * Asks the database whether the transaction with the result of a step is committed.
	 * @param failure the failure of the commit
	 * @return whether it is committed
	 */
	boolean isCommitted(String step, StepResults advanced, Throwable failure) {
		this.doubt = new Doubt(step, this.results.last(), advanced, false, failure);
		return resolve();
	}

	/**
	 * Stores the result of a step that was executed outside all transactions.
	 * @throws LeaseLostException if the claim is lost
	 */
	void complete(String step, byte[] result) {
		String from = this.results.last();
		StepResults advanced = this.results.with(step, result);
		try {
			advance(from, step, advanced);
			this.results = advanced;
		}
		catch (LeaseLostException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			this.doubt = new Doubt(step, from, advanced, true, ex);
			resolve();
		}
		this.unknown.remove(step);
	}

	boolean isInDoubt() {
		return this.doubt != null;
	}

	/**
	 * Resolves the outcome of the last step, if it is unknown.
	 * @return whether it is committed
	 * @throws LeaseLostException if another owner has taken the request over
	 * @throws StoreUnavailableException if the database does not answer
	 */
	boolean resolve() {
		Doubt open = this.doubt;
		if (open == null) {
			return true;
		}
		boolean committed = askDatabase(open);
		if (committed) {
			this.results = open.advanced();
		}
		this.doubt = null;
		return committed;
	}

	private boolean askDatabase(Doubt open) {
		LogEvent.COMMIT_IN_DOUBT.log(logger,
				"The outcome of the step '" + open.step() + "' is unknown, asking the database ["
						+ this.request.operation().name() + ", " + this.request.identity() + "]",
				open.failure());
		BoundedBackoff backoff = new BoundedBackoff(RESOLUTION_LIMIT);
		Throwable last = open.failure();
		do {
			try {
				Progress progress = this.run.progress().orElseThrow(LeaseLostException::new);
				boolean reached = open.step().equals(progress.recoveryPoint());
				if (!reached && open.repair()) {
					advance(open.from(), open.step(), open.advanced());
					reached = true;
				}
				return reached;
			}
			catch (LeaseLostException ex) {
				throw ex;
			}
			catch (RuntimeException ex) {
				last = ex;
			}
		}
		while (backoff.pause());
		throw this.duplicates.unavailable(this.request, StorePhase.PHASE, last);
	}

	private void advance(@Nullable String from, @Nullable String step, StepResults advanced) {
		byte[] encoded = advanced.encode(this.request, this.duplicates.codec());
		if (!this.run.advance(from, step, encoded, this.leaseDuration)) {
			throw new LeaseLostException();
		}
	}

	/**
	 * A step whose commit was not confirmed. Until the database has reported its outcome,
	 * nothing else of the request runs.
	 *
	 * @param step the name of the step
	 * @param from the recovery point before it, {@code null} if it is the first
	 * @param advanced the results of all steps, if it was committed
	 * @param repair whether its result is stored again if it was not committed, because
	 * the step was executed outside all transactions; otherwise its effects are rolled
	 * back, and it is executed again
	 * @param failure the failure of its commit, for the log
	 */
	private record Doubt(String step, @Nullable String from, StepResults advanced, boolean repair, Throwable failure) {

	}

}
