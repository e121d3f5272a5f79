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
package dev.idempotency.store;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the transaction that was to store a record found a live one at its commit,
 * and has been rolled back.
 *
 * @see IdempotencyStore#finishWithCommit(FinishedRecord)
 */
@SuppressWarnings("serial")
public class RecordConflictException extends RuntimeException {

	/**
	 * Creates an exception for a record that a statement has found.
	 */
	public RecordConflictException() {
		this(null);
	}

	/**
	 * Creates an exception.
	 * @param cause the failure of the database, {@code null} if there was none
	 */
	public RecordConflictException(@Nullable Throwable cause) {
		super("Another transaction has finished the same request", cause);
	}

}
