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
package dev.idempotency.engine;

import dev.idempotency.exception.IdempotencyException;

/**
 * One call of several that were claimed together is refused, and with it all of them.
 */
public final class RefusedCallException extends RuntimeException {

	private final int index;

	private final IdempotencyException reason;

	RefusedCallException(int index, IdempotencyException reason) {
		super(reason.getMessage(), reason);
		this.index = index;
		this.reason = reason;
	}

	/**
	 * Which call it is.
	 * @return its place among those that were claimed
	 */
	public int index() {
		return this.index;
	}

	/**
	 * Returns the reason of the refusal.
	 * @return the exception that it would have got alone
	 */
	public IdempotencyException reason() {
		return this.reason;
	}

}
