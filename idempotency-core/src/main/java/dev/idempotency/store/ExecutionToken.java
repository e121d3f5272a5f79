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

import java.util.UUID;

/**
 * Tokens of executions under the lock of a transaction. Each execution writes its token
 * into its record, and identifies its record only by the token: two executions of one
 * request may give the same answer, and an answer that is not stored has no content to
 * compare. The token of an execution under a lease is the fence of its lease.
 */
public final class ExecutionToken {

	/**
	 * The token of no execution.
	 */
	public static final long NONE = 0;

	private ExecutionToken() {
	}

	/**
	 * Creates a token. It has 62 bits from a secure random number generator, so that it
	 * also differs from tokens of other nodes and of copies of this process.
	 * @return a token, never {@link #NONE}
	 */
	public static long next() {
		return UUID.randomUUID().getLeastSignificantBits();
	}

}
