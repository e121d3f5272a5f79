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
package dev.idempotency.engine.operation;

/**
 * The reaction to an unprotected change that a retry may repeat: a call of another system
 * by a handler in mode TRANSACTIONAL, or a write outside Spring's transactions by a
 * handler in mode LEASED.
 */
public enum Reaction {

	/**
	 * A warning in the log, once for each operation.
	 */
	WARN,

	/**
	 * An {@link IllegalStateException}, before the change where that is possible.
	 */
	FAIL,

	/**
	 * Allows the change without a log entry.
	 */
	IGNORE

}
