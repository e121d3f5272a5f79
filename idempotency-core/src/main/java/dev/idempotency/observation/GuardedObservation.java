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

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.logging.LogEvent;

/**
 * An observation whose handlers may fail without harm: a transaction may be open.
 */
public class GuardedObservation {

	private static final Log logger = LogFactory.getLog(GuardedObservation.class);

	private final ObservationRegistry registry;

	private final Observation observation;

	/**
	 * Starts an observation, or observes nothing if that fails.
	 * @param registry the registry of the observation
	 * @param observation creates the observation
	 */
	public GuardedObservation(ObservationRegistry registry, Supplier<Observation> observation) {
		this.registry = registry;
		Observation started = Observation.NOOP;
		try {
			started = observation.get().start();
		}
		catch (RuntimeException ex) {
			handlerFailed(ex);
		}
		this.observation = started;
	}

	private static void handlerFailed(RuntimeException failure) {
		LogEvent.OBSERVATION_FAILED.log(logger, "An ObservationHandler failed", failure);
	}

	/**
	 * Returns whether nothing is observed: the observations of the current thread stay as
	 * they are.
	 */
	boolean isNoop() {
		return this.observation.isNoop();
	}

	ObservationRegistry registry() {
		return this.registry;
	}

	/**
	 * Makes the work of the current thread part of the observation. Restores the outer
	 * scope on failure: a partly opened or closed scope would stay with the thread.
	 * @return the scope, to be closed by the same thread and before all scopes opened
	 * earlier
	 */
	public final Scope openScope() {
		if (this.observation.isNoop()) {
			return Scope.NONE;
		}
		Observation.@Nullable Scope outer = this.registry.getCurrentObservationScope();
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> close(scope, outer);
		}
		catch (RuntimeException ex) {
			this.registry.setCurrentObservationScope(outer);
			handlerFailed(ex);
			return Scope.NONE;
		}
	}

	private void close(Observation.Scope scope, Observation.@Nullable Scope outer) {
		try {
			scope.close();
		}
		catch (RuntimeException ex) {
			this.registry.setCurrentObservationScope(outer);
			handlerFailed(ex);
		}
	}

	/**
	 * Adds an event.
	 * @param event the event
	 */
	public final void event(Observation.Event event) {
		try {
			this.observation.event(event);
		}
		catch (RuntimeException ex) {
			handlerFailed(ex);
		}
	}

	/**
	 * Marks the observation as an error.
	 * @param failure the failure
	 */
	public final void error(Throwable failure) {
		try {
			this.observation.error(failure);
		}
		catch (RuntimeException ex) {
			handlerFailed(ex);
		}
	}

	/**
	 * Stops the observation, after all its scopes are closed.
	 */
	public final void stop() {
		try {
			this.observation.stop();
		}
		catch (RuntimeException ex) {
			handlerFailed(ex);
		}
	}

	/**
	 * The time during which a thread works for an observation.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		/**
		 * No observation.
		 */
		Scope NONE = () -> {
		};

		@Override
		void close();

	}

}
