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
package dev.idempotency.engine.transaction;

import org.jspecify.annotations.Nullable;

/**
 * The transaction of the current thread that holds an answer. Calls of other systems
 * within it are reported: their effects are not rolled back, and they hold its
 * connection.
 *
 * @param operation the name of its operation
 * @param outer the enclosing transaction on the same thread
 */
public record OpenTransaction(String operation, @Nullable OpenTransaction outer) {

	private static final ThreadLocal<@Nullable OpenTransaction> CURRENT = new ThreadLocal<>();

	/**
	 * Creates the transaction of an operation within that of the current thread.
	 */
	public static OpenTransaction of(String operation) {
		return new OpenTransaction(operation, CURRENT.get());
	}

	/**
	 * Returns the innermost transaction of the current thread.
	 * @return the transaction, or {@code null} if the library has none open
	 */
	public static @Nullable OpenTransaction current() {
		return CURRENT.get();
	}

	public void enter() {
		CURRENT.set(this);
	}

	/**
	 * Restores the previous state of the thread, if this is the current one.
	 */
	public void leave() {
		if (CURRENT.get() == this) {
			restore(this.outer);
		}
	}

	/**
	 * Replaces the transaction of the current thread.
	 */
	public static void restore(@Nullable OpenTransaction open) {
		if (open != null) {
			CURRENT.set(open);
		}
		else {
			CURRENT.remove();
		}
	}

}
