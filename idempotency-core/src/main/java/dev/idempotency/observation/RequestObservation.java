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
package dev.idempotency.observation;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observation.IdempotencyObservation.Outcome;

/**
 * The observation of one request, from its claim to its end. Any thread may tell it; the
 * first end counts.
 */
public final class RequestObservation extends GuardedObservation {

	/**
	 * The observation of a request that nobody observes.
	 */
	public static final RequestObservation NONE = new RequestObservation(ObservationRegistry.NOOP,
			new IdempotencyObservationContext(IdempotencyObservation.REQUEST, "", Mode.TRANSACTIONAL, null));

	private final IdempotencyObservationContext context;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile @Nullable Throwable failure;

	private RequestObservation(ObservationRegistry registry, IdempotencyObservationContext context) {
		super(registry, () -> Observation.createNotStarted(null, context.observation(), () -> context, registry));
		this.context = context;
	}

	/**
	 * Starts the observation of a request, as a child of the current thread's
	 * observation.
	 * @param registry the registry
	 * @param observation the kind of request
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @return the observation, {@link #NONE} if the registry has no handlers
	 */
	public static RequestObservation start(ObservationRegistry registry, IdempotencyObservation observation,
			String operation, Mode mode) {
		return registry.isNoop() ? NONE : new RequestObservation(registry,
				new IdempotencyObservationContext(observation, operation, mode, null));
	}

	/**
	 * Observes a phase of the request on the current thread.
	 * @param phase the kind of phase
	 * @param step the name of the phase
	 * @param work the work of the phase
	 * @param <T> the type of the result
	 * @return the result of the work
	 */
	public <T extends @Nullable Object> T observe(IdempotencyObservation phase, String step, Supplier<T> work) {
		if (registry().isNoop()) {
			return work.get();
		}
		RequestObservation observed = new RequestObservation(registry(),
				new IdempotencyObservationContext(phase, this.context.operation(), this.context.mode(), step));
		T result;
		try (Scope scope = observed.openScope()) {
			result = work.get();
		}
		catch (RuntimeException | Error ex) {
			observed.end(ex);
			throw ex;
		}
		observed.end(Outcome.COMPLETED);
		return result;
	}

	/**
	 * Notes that the work has failed. The failure decides the outcome unless a response
	 * to it is stored.
	 * @param failure the failure
	 */
	public void failed(Throwable failure) {
		if (!isNoop() && !this.ended.get()) {
			this.failure = failure;
			error(failure);
		}
	}

	/**
	 * Ends the request.
	 * @param outcome its outcome
	 */
	public void end(Outcome outcome) {
		if (!isNoop() && this.ended.compareAndSet(false, true)) {
			this.context.ended(outcome);
			stop();
		}
	}

	/**
	 * Ends the request with a failure, which is an error unless it is a regular outcome.
	 * @param failure the failure
	 */
	public void end(Throwable failure) {
		Outcome outcome = Outcome.of(failure);
		if (!outcome.isRegular()) {
			failed(failure);
		}
		end(outcome);
	}

	/**
	 * Ends the request without a stored response: its work has failed, or its response is
	 * not final.
	 */
	public void end() {
		Throwable failed = this.failure;
		end((failed != null) ? Outcome.of(failed) : Outcome.RELEASED);
	}

}
