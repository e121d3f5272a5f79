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

import java.util.List;

import dev.idempotency.Idempotent;

/**
 * Signals operations with {@link Idempotent} that nothing protects. Thrown at start-up,
 * or later when a bean is created that was not known then; a failure analyzer prints its
 * parts. {@code idempotency.enabled=false} runs the operations unprotected on purpose.
 */
public final class UnenforcedIdempotentException extends RuntimeException {

	private final List<String> operations;

	private final String reason;

	private final String action;

	/**
	 * Creates the exception.
	 * @param operations the operations, each as class and method
	 * @param reason the reason for the missing protection, a sentence
	 * @param action the correction, a sentence
	 */
	public UnenforcedIdempotentException(List<String> operations, String reason, String action) {
		super("@Idempotent on " + String.join(", ", operations) + " has no effect. " + reason + " " + action);
		this.operations = List.copyOf(operations);
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Returns the operations that are not protected.
	 * @return the operations, each as class and method, at least one
	 */
	public List<String> getOperations() {
		return this.operations;
	}

	/**
	 * Returns the reason for the missing protection.
	 * @return a sentence, or several
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Returns the correction that protects the operations.
	 * @return a sentence
	 */
	public String getAction() {
		return this.action;
	}

}
