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

import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.phase.PhaseOperations;
import dev.idempotency.phase.Phases;
import dev.idempotency.phase.Phases.ForeignCall;
import dev.idempotency.phase.Phases.ForeignProbe;
import dev.idempotency.phase.TransientFailurePolicy;

/**
 * The phases of the request on the current thread.
 */
record EnginePhases(RequestTransactions transactions, RetryPolicy retry, Isolation isolation, ReturnValueFormat values,
		TransientFailurePolicy failures, ObjectProvider<StagedJobs> jobs) implements Phases {

	@Override
	public Phases isolatedAt(Isolation other) {
		return new EnginePhases(this.transactions, this.retry, other, this.values, this.failures, this.jobs);
	}

	@Override
	public <T extends @Nullable Object> T atomic(String step, Class<T> type, Supplier<? extends T> work) {
		return once(IdempotencyObservation.ATOMIC, step, type, (request) -> retrying(request, () -> request
			.<T>runPhase(step, this.isolation, work, (value) -> this.values.toJson(step, type, value))));
	}

	/**
	 * Executes a step, or returns its result if it is completed.
	 */
	private <T extends @Nullable Object> T once(IdempotencyObservation phase, String step, Class<T> type,
			Function<PhasedWork, T> work) {
		PhasedWork request = current(step);
		byte[] done = request.visit(step);
		return (done != null) ? this.values.fromJson(done, type)
				: request.observed(phase, step, () -> work.apply(request));
	}

	@Override
	public void atomic(String step, Runnable work) {
		this.<@Nullable Void>atomic(step, Void.class, () -> {
			work.run();
			return null;
		});
	}

	@Override
	public <T extends @Nullable Object> T foreign(String step, Class<T> type, ForeignCall<? extends T> call) {
		return once(IdempotencyObservation.FOREIGN, step, type, (request) -> outside(request, step, type, call, null));
	}

	@Override
	public <T> T foreign(String step, Class<T> type, ForeignCall<? extends T> call, ForeignProbe<? extends T> probe) {
		return once(IdempotencyObservation.FOREIGN, step, type, (request) -> outside(request, step, type, call, probe));
	}

	private <T extends @Nullable Object> T outside(PhasedWork request, String step, Class<T> type,
			ForeignCall<? extends T> call, @Nullable ForeignProbe<? extends T> probe) {
		String key = IdentityFactory.derivedKey(request.identity(), step);
		T value = request.runOutside(step, probe != null, (begun) -> OutgoingKey.of(key).call(() -> {
			T earlier = (probe != null && begun) ? find(request, probe, key) : null;
			return (earlier != null) ? earlier : call(request, step, call, key);
		}));
		request.complete(step, this.values.toJson(step, type, value));
		return value;
	}

	/**
	 * Asks for the outcome of an earlier call. A failure says nothing about that.
	 */
	private static <T extends @Nullable Object> @Nullable T find(PhasedWork request, ForeignProbe<? extends T> probe,
			String key) {
		try {
			return probe.find(key).orElse(null);
		}
		catch (Exception ex) {
			keepInterrupt(ex);
			throw request.interrupted(ex);
		}
	}

	private <T extends @Nullable Object> T call(PhasedWork request, String step, ForeignCall<? extends T> call,
			String key) {
		try {
			return call.call(key);
		}
		catch (Exception ex) {
			keepInterrupt(ex);
			if (this.failures.isTransient(ex)) {
				throw request.interrupted(ex);
			}
			request.rejected(step);
			throw Rethrow.unchecked(ex);
		}
	}

	private static void keepInterrupt(Exception ex) {
		if (ex instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public <T extends @Nullable Object> T finish(Supplier<? extends T> work) {
		PhasedWork request = current("finish");
		return request.observed(IdempotencyObservation.ATOMIC, "finish",
				() -> retrying(request, () -> request.<T>openFinish(this.isolation, work)));
	}

	@Override
	public <T> UUID stage(JobType<T> type, T payload) {
		StagedJobs available = this.jobs.getIfAvailable();
		if (available == null) {
			throw new IllegalStateException(
					"Staged jobs are not available. Add dev.idempotency:idempotency-jobs, and remove "
							+ "idempotency.job.enabled=false");
		}
		return available.stage(type, payload);
	}

	private <T extends @Nullable Object> T retrying(PhasedWork request, Retryable<T> phase) {
		try {
			return new RetryTemplate(this.retry).execute(phase);
		}
		catch (RetryException ex) {
			Throwable last = ex.getCause();
			if (CommitFailure.isConflict(last)) {
				throw request.interrupted(last);
			}
			throw Rethrow.unchecked(last);
		}
	}

	private PhasedWork current(String step) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException("The phase '" + step + "' cannot begin: a transaction is open. "
					+ "Phases have separate transactions, so nothing around them may be @Transactional, "
					+ "and phases do not nest.");
		}
		PhasedWork request = this.transactions.work();
		if (request != null) {
			return request;
		}
		throw new IllegalStateException("The phase '" + step + "' belongs to no request: phases are for handlers "
				+ "that are annotated with @Idempotent and have a parameter of type Phases, for requests with "
				+ "an idempotency key, and for work that is run by PhaseOperations");
	}

}
