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

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import dev.idempotency.observation.IdempotencyObservation.Key;
import dev.idempotency.observation.IdempotencyObservation.Outcome;

/**
 * The names and keys of an {@link IdempotencyObservation}. To change them, declare a
 * {@link GlobalObservationConvention} bean for {@link IdempotencyObservationContext}.
 */
public final class IdempotencyObservationConvention implements ObservationConvention<IdempotencyObservationContext> {

	/**
	 * Common prefix of the names.
	 */
	public static final String PREFIX = "idempotency.stage.";

	private static final String NOT_ENDED = "unknown";

	private final IdempotencyObservation observation;

	private final String name;

	private final String contextualName;

	IdempotencyObservationConvention(IdempotencyObservation observation) {
		this.observation = observation;
		this.name = PREFIX + IdempotencyObservation.lower(observation);
		this.contextualName = "idempotency " + IdempotencyObservation.lower(observation);
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public String getContextualName(IdempotencyObservationContext context) {
		String step = context.step();
		return (step != null) ? this.contextualName + " " + step : this.contextualName;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(IdempotencyObservationContext context) {
		Outcome outcome = context.outcome();
		String step = context.step();
		KeyValues values = KeyValues.of(KeyValue.of(Key.OPERATION, context.operation()),
				KeyValue.of(Key.MODE, IdempotencyObservation.lower(context.mode())),
				KeyValue.of(Key.OUTCOME, (outcome != null) ? outcome.value() : NOT_ENDED));
		return (step != null) ? values.and(KeyValue.of(Key.STEP, step)) : values;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof IdempotencyObservationContext observed && observed.observation() == this.observation;
	}

}
