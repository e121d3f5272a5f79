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
package dev.idempotency.observability;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.observation.Stage;
import dev.idempotency.observability.IdempotencyObservation.Key;

/**
 * The names and keys of {@link IdempotencyObservation}. To change them, declare a
 * {@link GlobalObservationConvention} bean for {@link StageObservationContext}.
 */
public final class StageObservationConvention implements ObservationConvention<StageObservationContext> {

	private static final String NOT_ENDED = "unknown";

	private final Stage stage;

	private final String name;

	/**
	 * Each observation requests its values at least twice, and they are few: operations
	 * and steps are named in the code.
	 */
	private final Map<Values, KeyValues> keyValues = new ConcurrentHashMap<>();

	StageObservationConvention(Stage stage) {
		this.stage = stage;
		this.name = IdempotencyObservation.PREFIX + lower(stage);
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public String getContextualName(StageObservationContext context) {
		String name = "idempotency " + lower(context.stage());
		return (context.step() != null) ? name + " " + context.step() : name;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(StageObservationContext context) {
		return this.keyValues.computeIfAbsent(
				new Values(context.operation(), context.mode(), context.outcome(), context.step()),
				Values::toKeyValues);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof StageObservationContext observed && observed.stage() == this.stage;
	}

	/**
	 * Returns the outcome in the spelling of the problem types.
	 */
	private static String outcome(@Nullable Enum<?> outcome) {
		return (outcome != null) ? lower(outcome).replace('_', '-') : NOT_ENDED;
	}

	private static String lower(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	private record Values(String operation, Enum<?> mode, @Nullable Enum<?> outcome, @Nullable String step) {

		KeyValues toKeyValues() {
			KeyValues values = KeyValues.of(KeyValue.of(Key.OPERATION, this.operation),
					KeyValue.of(Key.MODE, lower(this.mode)),
					KeyValue.of(Key.OUTCOME, StageObservationConvention.outcome(this.outcome)));
			return (this.step != null) ? values.and(KeyValue.of(Key.STEP, this.step)) : values;
		}

	}

}
