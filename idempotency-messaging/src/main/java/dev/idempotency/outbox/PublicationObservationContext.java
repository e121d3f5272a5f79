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

import java.util.LinkedHashMap;
import java.util.Map;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

import dev.idempotency.observation.IdempotencyObservation;

/**
 * The context of the observed publication of an event, for filters, predicates, handlers
 * and conventions of the application. A {@link GlobalObservationConvention} bean changes
 * its name and keys. A tracer writes its headers into the carrier, and they become
 * headers of the message.
 */
public final class PublicationObservationContext extends SenderContext<Map<String, String>> {

	/**
	 * The default name of the observation.
	 */
	public static final String NAME = IdempotencyObservation.PREFIX + "publish";

	private static final Convention CONVENTION = new Convention();

	private final Map<String, String> tracing = new LinkedHashMap<>();

	private final OutboxMessage message;

	/**
	 * Creates a context.
	 * @param message the event
	 */
	public PublicationObservationContext(OutboxMessage message) {
		super((carrier, name, value) -> {
			if (carrier != null) {
				carrier.put(name, value);
			}
		}, Kind.PRODUCER);
		setCarrier(this.tracing);
		this.message = message;
	}

	/**
	 * Returns the default name and keys.
	 * @return the convention, always the same
	 */
	public static ObservationConvention<PublicationObservationContext> convention() {
		return CONVENTION;
	}

	/**
	 * The event, without the headers of a tracer.
	 * @return the event
	 */
	public OutboxMessage message() {
		return this.message;
	}

	/**
	 * Returns the event with the headers of a tracer. Headers of the application take
	 * precedence.
	 */
	OutboxMessage tracedMessage() {
		Map<String, String> headers = new LinkedHashMap<>(this.tracing);
		headers.putAll(this.message.headers());
		return new OutboxMessage(this.message.destination(), this.message.payload(), this.message.key(),
				this.message.type(), this.message.id(), headers);
	}

	/**
	 * The default name and keys.
	 */
	private static final class Convention implements ObservationConvention<PublicationObservationContext> {

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

}
