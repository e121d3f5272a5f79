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
 * Signals that the account has as many requests without a response as
 * {@code idempotency.limits.max-open-requests} allows, or as many that need manual
 * resolution as {@code idempotency.limits.max-stuck-requests} allows. The request was not
 * executed, and may be sent again with the same key. Over HTTP: 429
 * {@code too-many-open-requests} with {@code Retry-After} (RFC 6585 section 4).
 */
public final class TooManyOpenRequestsException extends RetryLaterException {

	/**
	 * Creates the exception.
	 * @param retryAfter the delay before the next attempt
	 */
	public TooManyOpenRequestsException(Duration retryAfter) {
		super("This account has too many unfinished requests. Nothing was executed. "
				+ "Send the request again later with the same key, and send fewer requests at the same time.",
				retryAfter, null);
	}

}
