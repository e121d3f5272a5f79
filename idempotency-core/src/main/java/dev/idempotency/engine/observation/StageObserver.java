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
package dev.idempotency.engine.observation;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;

/**
 * Observes requests stage by stage, for traces. Must not throw.
 */
public interface StageObserver {

	/**
	 * Observes nothing.
	 */
	StageObserver NONE = new StageObserver() {
	};

	/**
	 * Returns whether observation is off at the moment: the engine then begins no stages.
	 * @return whether stages need not be begun
	 */
	default boolean isNoop() {
		return true;
	}

	/**
	 * Begins a stage, as a part of the current thread's observation.
	 * @param stage the stage
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @param step the name of the phase, {@code null} if the stage is none
	 * @return the stage
	 */
	default ActiveStage begin(Stage stage, String operation, Mode mode, @Nullable String step) {
		return ActiveStage.UNOBSERVED;
	}

	/**
	 * Observes a stage that begins and ends on the current thread.
	 * @param stage the stage
	 * @param operation the operation's name
	 * @param mode the mode of execution
	 * @param step the name of the phase, {@code null} if the stage is none
	 * @param work the work
	 * @param outcome its outcome, by what it returned
	 * @param <T> the type of the result
	 * @param <X> the type of the failure
	 * @return the result of the work
	 * @throws X the exception of the work
	 */
	default <T, X extends Exception> @Nullable T observe(Stage stage, String operation, Mode mode,
			@Nullable String step, Work<T, X> work, Function<@Nullable T, StageOutcome> outcome) throws X {
		return isNoop() ? work.run() : begin(stage, operation, mode, step).during(work, outcome);
	}

	/**
	 * The work of a stage.
	 *
	 * @param <T> the type of the result
	 * @param <X> the type of the failure
	 */
	@FunctionalInterface
	interface Work<T, X extends Exception> {

		@Nullable T run() throws X;

	}

}
