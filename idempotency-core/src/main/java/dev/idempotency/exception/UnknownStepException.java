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
package dev.idempotency.exception;

import java.time.Duration;
import java.util.Set;

import dev.idempotency.IdempotencyNotification;

/**
 * Signals that this version of the application is about to run a step without having
 * reached all completed steps. Another version has started the request, and it is left to
 * a node with that version. Published as an {@link IdempotencyNotification.UnknownStep}.
 */
public final class UnknownStepException extends RequestInterruptedException {

	private final Set<String> steps;

	/**
	 * Creates the exception.
	 * @param retryAfter the delay before the next attempt
	 * @param steps the completed steps that this version has not reached
	 */
	public UnknownStepException(Duration retryAfter, Set<String> steps) {
		super(retryAfter, null);
		this.steps = Set.copyOf(steps);
	}

	/**
	 * Returns the completed steps that this version has not reached.
	 * @return their names
	 */
	public Set<String> getSteps() {
		return this.steps;
	}

}
