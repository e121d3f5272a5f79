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
 * Signals that the store could not be reached, so that nothing was executed or the
 * outcome is not known yet; or that the commit failed because of a conflict with another
 * transaction, and nothing is committed. The same request with the same key may be sent
 * again. Over HTTP: 503 {@code store-unavailable} with {@code Retry-After}.
 */
public final class StoreUnavailableException extends RetryLaterException {

	/**
	 * Creates the exception.
	 * @param retryAfter the delay before the next attempt
	 * @param cause the store's exception
	 */
	public StoreUnavailableException(Duration retryAfter, Throwable cause) {
		super("The request could not be processed now. Send it again later with the same idempotency key.", retryAfter,
				cause);
	}

}
