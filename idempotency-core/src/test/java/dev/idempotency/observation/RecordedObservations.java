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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;

/**
 * A registry whose handler writes down each observation when it stops, with its events,
 * its outcome, and a mark if it is an error.
 */
public final class RecordedObservations implements ObservationHandler<IdempotencyObservationContext> {

	public final ObservationRegistry registry = ObservationRegistry.create();

	private final Map<Observation.Context, List<String>> running = new ConcurrentHashMap<>();

	private final List<String> stopped = new CopyOnWriteArrayList<>();

	/**
	 * Observes from now on.
	 */
	public void begin() {
		this.registry.observationConfig().observationHandler(this);
	}

	/**
	 * The observations in the order of their end. None is open.
	 */
	public List<String> all() {
		if (!this.running.isEmpty()) {
			throw new AssertionError("Not stopped: " + this.running.keySet());
		}
		return this.stopped;
	}

	@Override
	public void onStart(IdempotencyObservationContext context) {
		this.running.put(context, new ArrayList<>());
	}

	@Override
	public void onEvent(Observation.Event event, IdempotencyObservationContext context) {
		this.running.get(context).add(event.getName());
	}

	@Override
	public void onStop(IdempotencyObservationContext context) {
		String name = (context.step() != null) ? context.step() : IdempotencyObservation.lower(context.observation());
		this.stopped.add("%s %s %s%s".formatted(name, this.running.remove(context), context.outcome(),
				(context.getError() != null) ? " !" : ""));
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof IdempotencyObservationContext;
	}

}
