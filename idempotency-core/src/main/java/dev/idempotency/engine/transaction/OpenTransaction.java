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
 * Tells whoever calls another system that the current thread is inside of a transaction
 * that ends with an answer: what is done elsewhere does not go back with it, and its
 * connection is held for as long as the other system takes.
 */
public final class OpenTransaction {

	private static final ThreadLocal<@Nullable OpenTransaction> CURRENT = new ThreadLocal<>();

	private final String operation;

	private final @Nullable OpenTransaction outer;

	private OpenTransaction(String operation, @Nullable OpenTransaction outer) {
		this.operation = operation;
		this.outer = outer;
	}

	/**
	 * The transaction of an operation, inside of what the current thread is in already.
	 */
	public static OpenTransaction of(String operation) {
		return new OpenTransaction(operation, CURRENT.get());
	}

	/**
	 * The innermost transaction that the current thread is in.
	 * @return the transaction, or {@code null} if there is none of the library
	 */
	public static @Nullable OpenTransaction current() {
		return CURRENT.get();
	}

	/**
	 * The operation that it belongs to.
	 * @return the operation's name
	 */
	public String operation() {
		return this.operation;
	}

	public void enter() {
		CURRENT.set(this);
	}

	/**
	 * Go back to what was around, if this is what the thread is in.
	 */
	public void leave() {
		if (CURRENT.get() == this) {
			restore(this.outer);
		}
	}

	/**
	 * Let the current thread be in a transaction, whatever it is in now.
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
