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
package dev.idempotency.engine.lease;

import org.springframework.transaction.TransactionExecutionListener;

/**
 * Detects writes to the business rows outside Spring's transactions, by threads that work
 * for a leased run. No fence prevents such writes.
 */
public interface UnfencedWrites {

	/**
	 * An instance that detects nothing.
	 */
	UnfencedWrites UNNOTICED = new UnfencedWrites() {
	};

	/**
	 * Starts to watch the current thread.
	 * @param operation the operation for which it works
	 */
	default void watch(String operation) {
	}

	/**
	 * Stops watching the current thread. Does nothing if it is not watched.
	 */
	default void end() {
	}

	/**
	 * Returns the listener to add to the transaction manager of the business rows.
	 * @return the listener
	 */
	default TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {
		};
	}

	/**
	 * A resource bound to watched threads that does not belong to a transaction.
	 */
	interface Binding {

	}

}
