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
package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Decides which outcomes are final. Declared as a bean it replaces the default: 2xx, 3xx
 * and 4xx are final except 408, 425 and 429, except 406, 412, 416, 417 and 428, which
 * answer header fields of the request, and except refusals by Spring Security; 5xx are
 * final only with {@code idempotency.outcome.store-server-errors}.
 */
@FunctionalInterface
public interface OutcomePolicy {

	/**
	 * Returns whether the outcome is the response to every retry. An outcome that is not
	 * final is not stored: its local effects are rolled back and a retry runs again. Not
	 * called for a handler that returns with a status below 400: its client expects a
	 * success, which is committed and stored.
	 * @param outcome the outcome
	 * @return whether it is stored and replayed
	 */
	boolean isFinal(Outcome outcome);

	/**
	 * The outcome of an execution.
	 *
	 * @param status the HTTP status that the caller gets
	 * @param exception the handler's exception, or {@code null} where it returned
	 */
	record Outcome(int status, @Nullable Throwable exception) {

		/**
		 * Returns whether the status asks the caller to send the same request again: 408,
		 * 425, 429 and 5xx do. To a caller who gets any other status the request has
		 * ended, whether it is stored or not.
		 * @return whether somebody else may go on with the request
		 */
		public boolean invitesRetry() {
			return this.status == 408 || this.status == 425 || this.status == 429 || this.status >= 500;
		}

	}

}
