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
package dev.idempotency.outbox;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import dev.idempotency.observation.IdempotencyObservationConvention;

/**
 * The name and keys of the publication of an event. To change them, declare a
 * {@link GlobalObservationConvention} bean for {@link PublicationObservationContext}.
 */
public final class PublicationObservationConvention implements ObservationConvention<PublicationObservationContext> {

	/**
	 * The name of the observation.
	 */
	public static final String NAME = IdempotencyObservationConvention.PREFIX + "publish";

	static final PublicationObservationConvention INSTANCE = new PublicationObservationConvention();

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(PublicationObservationContext context) {
		return "idempotency publish";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(PublicationObservationContext context) {
		return KeyValues.of("type", context.message().typeName());
	}

	/**
	 * An application may have a queue for each of its customers.
	 */
	@Override
	public KeyValues getHighCardinalityKeyValues(PublicationObservationContext context) {
		return KeyValues.of("destination", context.message().destination());
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof PublicationObservationContext;
	}

}
