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

import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the lease of the running request has expired and another owner has taken
 * the request over. The writes of this run are rolled back. Over HTTP: 409
 * {@code in-progress}.
 */
public final class LeaseLostException extends IdempotencyException {

	/**
	 * Creates an exception.
	 */
	public LeaseLostException() {
		this(null);
	}

	/**
	 * Creates an exception with a cause.
	 * @param cause the failure of the commit, {@code null} if the lease was checked
	 * before
	 */
	public LeaseLostException(@Nullable Throwable cause) {
		super("The request took longer than its lease and is being processed elsewhere. "
				+ "Send it again later with the same idempotency key.", cause);
	}

	/**
	 * Finds an exception of this type in a failure that a transaction manager may have
	 * translated.
	 * @param failure any failure
	 * @return the exception among its causes, or the failure if there is none
	 */
	public static Throwable in(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.filter(LeaseLostException.class::isInstance)
			.findFirst()
			.orElse(failure);
	}

}
