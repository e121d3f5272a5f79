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

import org.jspecify.annotations.Nullable;

/**
 * Root of the refusals after which the same request with the same key may be sent again.
 * Over HTTP: a response with {@code Retry-After}.
 */
@SuppressWarnings("serial")
public abstract class RetryLaterException extends IdempotencyException {

	private final Duration retryAfter;

	/**
	 * Creates an exception.
	 * @param message the problem
	 * @param retryAfter the delay before the next attempt
	 * @param cause the cause, {@code null} for none
	 */
	protected RetryLaterException(String message, Duration retryAfter, @Nullable Throwable cause) {
		super(message, cause);
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns the delay before the next attempt.
	 * @return a positive duration
	 */
	public Duration getRetryAfter() {
		return this.retryAfter;
	}

}
