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

import java.util.Locale;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
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
 * The observations of requests: one for each request, and one for each phase that it
 * runs. Their names have a separate prefix, so that they can be switched off together.
 * They contain no data of requests: {@code step} is a constant of the program. To change
 * names and keys, declare a {@link GlobalObservationConvention} bean for
 * {@link IdempotencyObservationContext}.
 */
public enum IdempotencyObservation
		implements ObservationDocumentation, ObservationConvention<IdempotencyObservationContext> {

	/**
	 * A request to a protected operation.
	 */
	REQUEST("A request, from its claim to its end: HTTP requests, calls of services, messages and jobs"),

	/**
	 * A request that the completer repeats.
	 */
	RECOVER("The same for an unfinished request that the completer continues"),

	/**
	 * A phase in a transaction.
	 */
	ATOMIC("A phase in a separate transaction, retries included; the last one is called finish"),

	/**
	 * A phase outside transactions.
	 */
	FOREIGN("A phase outside all transactions, and the storage of its result");

	/**
	 * Common prefix of the names.
	 */
	public static final String PREFIX = "idempotency.stage.";

	private final String description;

	private final String observationName;

	private final String spanName;

	IdempotencyObservation(String description) {
		this.description = description;
		this.observationName = PREFIX + lower(this);
		this.spanName = "idempotency " + lower(this);
	}

	/**
	 * Returns the description of the observation.
	 * @return a phrase
	 */
	public String description() {
		return this.description;
	}

	boolean isPhase() {
		return this == ATOMIC || this == FOREIGN;
	}

	@Override
	public String getName() {
		return this.observationName;
	}

	@Override
	public String getContextualName(IdempotencyObservationContext context) {
		String step = context.step();
		return (step != null) ? this.spanName + " " + step : this.spanName;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(IdempotencyObservationContext context) {
		return context.keyValues();
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof IdempotencyObservationContext observed && observed.observation() == this;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return isPhase() ? Key.values() : new KeyName[] { Key.OPERATION, Key.MODE, Key.OUTCOME };
	}

	@Override
	public Observation.Event[] getEvents() {
		return isPhase() ? new Observation.Event[0] : Event.values();
	}

	/**
	 * The keys, all of low cardinality.
	 */
	enum Key implements KeyName {

		/**
		 * The operation, as in the tags of meters.
		 */
		OPERATION,

		/**
		 * The mode of execution.
		 */
		MODE,

		/**
		 * The name of the phase.
		 */
		STEP,

		/**
		 * The {@link Outcome}.
		 */
		OUTCOME;

		private final String key = lower(this);

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * The events within a request.
	 */
	public enum Event implements Observation.Event {

		/**
		 * The request may run.
		 */
		CLAIMED("The request may run"),

		/**
		 * The work has run, and its response is stored next.
		 */
		STORING("The work has run; its response is stored, and its effects are committed"),

		/**
		 * The last phase could not be serialised with concurrent transactions, and the
		 * work is executed again.
		 */
		CONFLICT("Concurrent transactions interfered with the last phase; the work runs once more");

		private final String eventName = lower(this);

		private final String description;

		Event(String description) {
			this.description = description;
		}

		/**
		 * Returns the description of the event.
		 * @return a phrase
		 */
		public String description() {
			return this.description;
		}

		@Override
		public String getName() {
			return this.eventName;
		}

	}

	/**
	 * The outcomes of a request or a phase.
	 */
	public enum Outcome {

		/**
		 * The response is stored and its effects are committed, or the phase is
		 * completed.
		 */
		COMPLETED,

		/**
		 * The caller gets the stored response.
		 */
		REPLAYED,

		/**
		 * The response of the work is not final; a retry runs again.
		 */
		RELEASED,

		/**
		 * Another delivery is executing the request.
		 */
		IN_PROGRESS(RequestInProgressException.class),

		/**
		 * The account has too many unfinished requests.
		 */
		LIMITED(TooManyOpenRequestsException.class),

		/**
		 * The key was used for another request.
		 */
		KEY_REUSED(KeyReusedException.class),

		/**
		 * The response was not kept.
		 */
		NOT_REPLAYABLE(NotReplayableException.class),

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

		/**
		 * The outcome in the spelling of the problem types.
		 */
		private final String value = lower(this).replace('_', '-');

		final KeyValue keyValue = KeyValue.of(Key.OUTCOME, this.value);

		private final @Nullable Class<? extends Throwable> failure;

		Outcome() {
			this.failure = null;
		}

		Outcome(Class<? extends Throwable> failure) {
			this.failure = failure;
		}

		/**
		 * Returns the value of the key.
		 * @return the name in lower case, such as {@code in-progress}
		 */
		public String value() {
			return this.value;
		}

		/**
		 * Returns the outcome of a failure.
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
		 * Returns whether the library did its work, whatever the response to the caller.
		 * @return {@code false} for an error
		 */
		public boolean isRegular() {
			return switch (this) {
				case COMPLETED, REPLAYED, RELEASED, IN_PROGRESS, LIMITED, KEY_REUSED, NOT_REPLAYABLE -> true;
				case INTERRUPTED, UNKNOWN_STEP, LEASE_LOST, STORE_UNAVAILABLE, FAILED -> false;
			};
		}

	}

	static String lower(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
