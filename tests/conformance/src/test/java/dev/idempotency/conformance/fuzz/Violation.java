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

package dev.idempotency.conformance.fuzz;

/**
 * A promise that was found broken.
 *
 * @param kind the promise
 * @param detail what was seen instead
 */
record Violation(Kind kind, String detail) {

	enum Kind {

		/**
		 * The first answer is not the handler's own.
		 */
		FIRST_ANSWER,

		/**
		 * A final answer was not replayed, or not with every byte, header and the marker.
		 */
		REPLAY,

		/**
		 * The handler was executed more often, or less often, than the answers say.
		 */
		EXECUTIONS,

		/**
		 * The rows are not those of the executions that succeeded.
		 */
		ROWS,

		/**
		 * A record is stored that should not be, or the reverse.
		 */
		RECORDS,

		/**
		 * A duplicate in flight was not refused.
		 */
		IN_FLIGHT,

		/**
		 * Another request under the same key was not refused.
		 */
		MISMATCH,

		/**
		 * A connection, transaction, lock or lease was left behind.
		 */
		LEFT_BEHIND,

		/**
		 * A thread carries what belongs to an earlier request.
		 */
		THREAD

	}

}
