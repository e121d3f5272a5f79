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

/**
 * The state of an identity in the store. A finished record whose time to live has passed
 * is no record.
 *
 * @param fingerprint the fingerprint of the request that the key stands for
 * @param answer the answer
 * @param timeToLive what was left of the record's life when the database was asked, by
 * its clock
 * @param token the token of the execution that wrote the answer,
 * {@link ExecutionToken#NONE} where the database was not asked
 */
public record StoredRecord(byte[] fingerprint, StoredAnswer answer, Duration timeToLive, long token) {

	/**
	 * Creates a record that tells nothing about who wrote it, as a cache holds it.
	 * @param fingerprint the fingerprint of the request that the key stands for
	 * @param answer the answer
	 * @param timeToLive what is left of the record's life
	 */
	public StoredRecord(byte[] fingerprint, StoredAnswer answer, Duration timeToLive) {
		this(fingerprint, answer, timeToLive, ExecutionToken.NONE);
	}

	/**
	 * Returns whether an execution has written this record.
	 * @param finished what the execution was to write
	 * @return whether the tokens are the same
	 */
	public boolean isWrittenAs(FinishedRecord finished) {
		return this.token != ExecutionToken.NONE && this.token == finished.token();
	}

}
