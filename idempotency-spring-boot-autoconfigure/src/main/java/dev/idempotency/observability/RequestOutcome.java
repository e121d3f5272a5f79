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

import java.util.Locale;

/**
 * The outcomes of requests to protected operations: values of the tag {@code outcome} of
 * {@link IdempotencyMeter#REQUESTS}, in lower case.
 */
public enum RequestOutcome {

	/**
	 * Executed, and the response stored.
	 */
	EXECUTED,

	/**
	 * Answered with the stored response.
	 */
	REPLAYED,

	/**
	 * Executed and rolled back without a final response; a retry runs again.
	 */
	RELEASED,

	/**
	 * Executed in phases and ended without a final response; completed steps are kept.
	 */
	INTERRUPTED,

	/**
	 * Refused: the key was used for another request.
	 */
	MISMATCHED,

	/**
	 * Refused: the first delivery was still running.
	 */
	IN_PROGRESS,

	/**
	 * Refused: the first delivery has ended without a response and needs manual
	 * resolution.
	 */
	STUCK,

	/**
	 * Refused: the account has too many requests without a response.
	 */
	LIMITED,

	/**
	 * Refused: the response of the first delivery is not kept or cannot be read.
	 */
	NOT_REPLAYABLE;

	/**
	 * Returns the value of the tag.
	 * @return the name in lower case, such as {@code in_progress}
	 */
	public String tag() {
		return name().toLowerCase(Locale.ROOT);
	}

}
