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

import java.util.function.Function;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import dev.idempotency.engine.observation.StageObserver.ActiveStage.Scope;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.outbox.PublicationObserver;

/**
 * Creates an observation of the publication of each event, so that its receivers continue
 * the trace of the publishing request.
 */
public final class ObservedPublications implements PublicationObserver {

	private final ObservationRegistry registry;

	public ObservedPublications(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public String observe(OutboxMessage message, Function<OutboxMessage, String> publication) {
		if (this.registry.isNoop()) {
			return publication.apply(message);
		}
		PublicationObservationContext context = new PublicationObservationContext(message);
		GuardedObservation observation = GuardedObservation.start(this.registry, () -> Observation
			.createNotStarted(null, PublicationObservationConvention.INSTANCE, () -> context, this.registry));
		Throwable failure = null;
		try (Scope scope = observation.openScope()) {
			return publication.apply(context.tracedMessage());
		}
		catch (RuntimeException | Error ex) {
			failure = ex;
			throw ex;
		}
		finally {
			observation.stop(failure);
		}
	}

}
