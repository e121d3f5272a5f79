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

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.observation.Stage;

/**
 * The context of an observed stage. For filters, predicates, handlers and global
 * conventions of the application.
 */
public final class StageObservationContext extends Observation.Context {

	private final Stage stage;

	private final String operation;

	private final Mode mode;

	private final @Nullable String step;

	private volatile Stage.@Nullable Outcome outcome;

	StageObservationContext(Stage stage, String operation, Mode mode, @Nullable String step) {
		this.stage = stage;
		this.operation = operation;
		this.mode = mode;
		this.step = step;
	}

	/**
	 * The stage.
	 * @return the stage
	 */
	public Stage stage() {
		return this.stage;
	}

	/**
	 * The operation's name.
	 * @return the mapping of an endpoint, the method of a bean, or the name that the
	 * application gave
	 */
	public String operation() {
		return this.operation;
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
	 * @return the name, {@code null} if the stage is not a phase
	 */
	public @Nullable String step() {
		return this.step;
	}

	/**
	 * Returns the outcome of the stage.
	 * @return the outcome, {@code null} before the end
	 */
	public Stage.@Nullable Outcome outcome() {
		return this.outcome;
	}

	void ended(Stage.Outcome outcome) {
		this.outcome = outcome;
	}

}
