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

import java.time.Duration;
import java.util.UUID;

/**
 * A complete record, written once. Only the token identifies the record of an execution:
 * two executions of a request may have the same response, and a response that is not
 * stored has no content to compare.
 *
 * @param identity the identity of the request
 * @param operation the operation's name, for operators
 * @param fingerprint the fingerprint of the request
 * @param response the response
 * @param ttl the time for which it is kept from now on, by the database's clock
 * @param token the token of the execution: the fence of its lease, or a
 * {@link #newToken() new token} under the lock of a transaction
 */
public record FinishedRecord(Identity identity, String operation, byte[] fingerprint, EncodedResponse response,
		Duration ttl, long token) {

	/**
	 * Creates a record with a new token.
	 * @param identity the identity of the request
	 * @param operation the operation's name, for operators
	 * @param fingerprint the fingerprint of the request
	 * @param response the response
	 * @param ttl the time for which it is kept from now on, by the database's clock
	 */
	public FinishedRecord(Identity identity, String operation, byte[] fingerprint, EncodedResponse response,
			Duration ttl) {
		this(identity, operation, fingerprint, response, ttl, newToken());
	}

	/**
	 * Creates a token with 62 bits from a secure random number generator. It also differs
	 * from the tokens of other nodes and of copies of this process.
	 * @return a token, never 0
	 */
	public static long newToken() {
		return UUID.randomUUID().getLeastSignificantBits();
	}

}
