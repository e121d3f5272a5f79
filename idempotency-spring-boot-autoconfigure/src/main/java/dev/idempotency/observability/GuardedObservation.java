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

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.engine.observation.StageObserver.ActiveStage.Scope;
import dev.idempotency.logging.LogEvent;

/**
 * An observation whose handlers may fail without harm: a transaction may be open.
 */
final class GuardedObservation {

	private static final Log logger = LogFactory.getLog(GuardedObservation.class);

	private final ObservationRegistry registry;

	private final Observation observation;

	private GuardedObservation(ObservationRegistry registry, Observation observation) {
		this.registry = registry;
		this.observation = observation;
	}

	/**
	 * Starts an observation, or observes nothing if that fails.
	 */
	static GuardedObservation start(ObservationRegistry registry, Supplier<Observation> observation) {
		try {
			return new GuardedObservation(registry, observation.get().start());
		}
		catch (RuntimeException ex) {
			failed(ex);
			return new GuardedObservation(registry, Observation.NOOP);
		}
	}

	private static void failed(RuntimeException failure) {
		LogEvent.OBSERVATION_FAILED.log(logger, "An ObservationHandler failed", failure);
	}

	/**
	 * Opens a scope, and restores the outer one on failure: a partly opened or closed
	 * scope would stay with the thread.
	 */
	Scope openScope() {
		Observation.@Nullable Scope outer = this.registry.getCurrentObservationScope();
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> close(scope, outer);
		}
		catch (RuntimeException ex) {
			this.registry.setCurrentObservationScope(outer);
			failed(ex);
			return Scope.NONE;
		}
	}

	private void close(Observation.Scope scope, Observation.@Nullable Scope outer) {
		try {
			scope.close();
		}
		catch (RuntimeException ex) {
			this.registry.setCurrentObservationScope(outer);
			failed(ex);
		}
	}

	void stop(@Nullable Throwable failure) {
		try {
			if (failure != null) {
				this.observation.error(failure);
			}
			this.observation.stop();
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

}
