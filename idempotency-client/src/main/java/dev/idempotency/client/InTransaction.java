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
package dev.idempotency.client;

/**
 * The reaction to a call that asks another system for a change within a transaction that
 * ends with an answer: that of a handler in mode transactional, or of a phase. The other
 * system's change is not rolled back with the transaction, and happens again when the
 * request is retried.
 */
public enum InTransaction {

	/**
	 * A warning in the log, once for each operation.
	 */
	WARN,

	/**
	 * An {@link IllegalStateException} before anything is sent.
	 */
	FAIL,

	/**
	 * Allows the call without a log entry.
	 */
	IGNORE

}
