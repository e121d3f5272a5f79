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
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.UnknownStepException;

/**
 * The steps of a request: those that are done, and the one whose commit is in doubt.
 */
final class StepProgress {

	private final CallDecisions decisions;

	private final NotificationPublisher notifications;

	private final ResponseCodec codec;

	private final Call call;

	private final FencedRun run;

	private final Duration leaseDuration;

	private StepResults results;

	private volatile @Nullable PhaseDoubt doubt;

	/**
	 * Creates the progress of a request.
	 * @param decisions how failures are answered
	 * @param notifications publishes steps that the program does not know
	 * @param call the request
	 * @param run the run that owns the claim
	 * @param leaseDuration the time that a stored step extends the claim by
	 * @param results the steps of earlier runs
	 */
	StepProgress(CallDecisions decisions, NotificationPublisher notifications, Call call, FencedRun run,
			Duration leaseDuration, StepResults results) {
		this.decisions = decisions;
		this.notifications = notifications;
		this.codec = decisions.codec();
		this.call = call;
		this.run = run;
		this.leaseDuration = leaseDuration;
		this.results = results;
	}

	/**
	 * Reaches a step.
	 * @return its result as JSON, or {@code null} if it is to be done now
	 * @throws UnknownStepException if it is to be done and others are done that were not
	 * reached
	 */
	byte @Nullable [] visit(String step) {
		byte[] result = this.results.visit(step);
		if (result == null) {
			requireAllVisited();
		}
		return result;
	}

	/**
	 * Refuses a program that has not reached all steps that are done.
	 * @throws UnknownStepException if there are others
	 */
	void requireAllVisited() {
		Set<String> unknown = this.results.unvisited();
		if (!unknown.isEmpty()) {
			this.notifications.publish(new UnknownStep(this.call.operation().name()));
			throw new UnknownStepException(this.decisions.retryAfter(), new LinkedHashSet<>(unknown));
		}
	}

	/**
	 * Starts again with the first step. No result is lost.
	 */
	void rewind() {
		this.results = this.results.rewound();
	}

	/**
	 * Stores the result of a step in the current transaction.
	 * @return the results of all steps, once that transaction is committed
	 * @throws LeaseLostException if the claim is lost
	 */
	StepResults store(String step, byte[] result) {
		StepResults advanced = this.results.with(step, result);
		requireHeld(advance(this.results.last(), step, advanced));
		return advanced;
	}

	/**
	 * The transaction that has stored a step is committed.
	 */
	void committed(StepResults advanced) {
		this.results = advanced;
	}

	/**
	 * Asks the database whether the transaction that has stored a step is committed.
	 * @param failure what its commit has failed with
	 * @return whether it is
	 */
	boolean isCommitted(String step, StepResults advanced, Throwable failure) {
		this.doubt = new PhaseDoubt(step, this.results.last(), advanced, PhaseDoubt.Kind.TRANSACTION);
		return resolve(failure);
	}

	/**
	 * Stores the result of a step that was done outside all transactions.
	 * @throws LeaseLostException if the claim is lost
	 */
	void complete(String step, byte[] result) {
		String from = this.results.last();
		StepResults advanced = this.results.with(step, result);
		boolean held;
		try {
			held = advance(from, step, advanced);
		}
		catch (RuntimeException ex) {
			this.doubt = new PhaseDoubt(step, from, advanced, PhaseDoubt.Kind.OUTSIDE);
			resolve(ex);
			return;
		}
		requireHeld(held);
		this.results = advanced;
	}

	boolean isInDoubt() {
		return this.doubt != null;
	}

	/**
	 * Resolves the outcome of the last step, if it is unknown.
	 * @param failure the reason to ask, for the log
	 * @return whether it is committed
	 */
	boolean resolve(Throwable failure) {
		PhaseDoubt open = this.doubt;
		if (open == null) {
			return true;
		}
		boolean committed = open.resolve(this.call, this.run, this.decisions,
				(again) -> advance(again.from(), again.step(), again.advanced()), failure);
		if (committed) {
			this.results = open.advanced();
		}
		this.doubt = null;
		return committed;
	}

	private boolean advance(@Nullable String from, String step, StepResults advanced) {
		return this.run.advance(from, step, advanced.encode(this.call, this.codec), this.leaseDuration);
	}

	private static void requireHeld(boolean held) {
		if (!held) {
			throw new LeaseLostException();
		}
	}

}
