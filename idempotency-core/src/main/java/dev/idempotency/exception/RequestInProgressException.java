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

/**
 * Signals that the first delivery of the request is still running. Over HTTP: 409
 * {@code in-progress} with {@code Retry-After}.
 */
public final class RequestInProgressException extends RetryLaterException {

	/**
	 * Creates the exception.
	 * @param retryAfter the delay before the next attempt
	 */
	public RequestInProgressException(Duration retryAfter) {
		super("A request with this idempotency key is still being processed. Send it again later with the same key.",
				retryAfter, null);
	}

}
