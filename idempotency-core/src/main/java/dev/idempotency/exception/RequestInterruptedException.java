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
 * Signals that a request in phases could not be completed because of a transient failure:
 * another system is not available, or too many other transactions change the same rows.
 * Completed steps are kept, and the same request with the same key continues after them.
 * Over HTTP: 503 {@code interrupted} with {@code Retry-After}.
 */
public class RequestInterruptedException extends RetryLaterException {

	/**
	 * Creates the exception.
	 * @param retryAfter the delay before the next attempt
	 * @param cause the cause, {@code null} if it is not an exception
	 */
	public RequestInterruptedException(Duration retryAfter, @Nullable Throwable cause) {
		super("The request could not be completed now. Send it again later with the same idempotency key: "
				+ "completed steps are not repeated.", retryAfter, cause);
	}

}
