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

import org.jspecify.annotations.Nullable;

import dev.idempotency.Idempotent;

/**
 * Signals an invalid {@link Idempotent} annotation or property under {@code idempotency}.
 * Thrown at start-up, where a failure analyzer prints subject and action; or by the first
 * request that shows it, which is rolled back and answered with 500.
 */
public final class InvalidIdempotentException extends RuntimeException {

	private final String subject;

	private final String action;

	private final @Nullable String property;

	/**
	 * Creates the exception.
	 * @param subject the problem and its place
	 * @param action the correction
	 */
	public InvalidIdempotentException(String subject, String action) {
		this(subject, action, null);
	}

	/**
	 * Creates the exception for a property.
	 * @param subject the problem
	 * @param action the correction
	 * @param property the name of the property, such as {@code idempotency.ttl}, or
	 * {@code null} for an annotation
	 */
	public InvalidIdempotentException(String subject, String action, @Nullable String property) {
		super(subject + " " + action);
		this.subject = subject;
		this.action = action;
		this.property = property;
	}

	/**
	 * Returns the name of the invalid element and the problem.
	 * @return a sentence
	 */
	public String getSubject() {
		return this.subject;
	}

	/**
	 * Returns the correction to make.
	 * @return a sentence
	 */
	public String getAction() {
		return this.action;
	}

	/**
	 * Returns the property with the invalid value.
	 * @return its name, such as {@code idempotency.ttl}, or {@code null} for an
	 * annotation
	 */
	public @Nullable String getProperty() {
		return this.property;
	}

}
