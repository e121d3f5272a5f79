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

import java.util.List;
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observation.IdempotencyObservation.Key;

/**
 * The context of an observed request or phase, for filters, predicates, handlers and
 * global conventions of the application.
 */
public final class IdempotencyObservationContext extends Observation.Context {

	private static final KeyValue NOT_ENDED = KeyValue.of(Key.OUTCOME, "unknown");

	/**
	 * In the order of the modes.
	 */
	private static final List<KeyValue> MODES = Stream.of(Mode.values())
		.map((mode) -> KeyValue.of(Key.MODE, IdempotencyObservation.lower(mode)))
		.toList();

	private final IdempotencyObservation observation;

	private final KeyValue operation;

	private final Mode mode;

	private final @Nullable String step;

	private volatile IdempotencyObservation.@Nullable Outcome outcome;

	/**
	 * Creates a context.
	 * @param observation the kind of observation
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @param step the name of the phase, {@code null} for a request
	 */
	public IdempotencyObservationContext(IdempotencyObservation observation, String operation, Mode mode,
			@Nullable String step) {
		this.observation = observation;
		this.operation = KeyValue.of(Key.OPERATION, operation);
		this.mode = mode;
		this.step = step;
	}

	/**
	 * The kind of observation.
	 * @return the documentation of the observation
	 */
	public IdempotencyObservation observation() {
		return this.observation;
	}

	/**
	 * The operation's name.
	 * @return the mapping of an endpoint, the method of a bean, or the name that the
	 * application gave
	 */
	public String operation() {
		return this.operation.getValue();
	}

	/**
	 * Returns the mode of execution.
	 * @return the mode
	 */
	public Mode mode() {
		return this.mode;
	}

	/**
	 * The name of the phase.
	 * @return the name, {@code null} for a request
	 */
	public @Nullable String step() {
		return this.step;
	}

	/**
	 * Returns the outcome.
	 * @return the outcome, {@code null} before the end
	 */
	public IdempotencyObservation.@Nullable Outcome outcome() {
		return this.outcome;
	}

	KeyValues keyValues() {
		IdempotencyObservation.Outcome ended = this.outcome;
		KeyValues values = KeyValues.of(this.operation, MODES.get(this.mode.ordinal()),
				(ended != null) ? ended.keyValue : NOT_ENDED);
		return (this.step != null) ? values.and(KeyValue.of(Key.STEP, this.step)) : values;
	}

	void ended(IdempotencyObservation.Outcome outcome) {
		this.outcome = outcome;
	}

}
