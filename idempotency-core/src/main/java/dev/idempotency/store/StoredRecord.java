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
 * The live record of an identity in the store.
 *
 * @param fingerprint the fingerprint of the request
 * @param response the response
 * @param timeToLive the remaining time to live at the time of reading, by the database's
 * clock
 * @param token the token of the execution that wrote the response, 0 if it was not read
 * from the database
 */
public record StoredRecord(byte[] fingerprint, EncodedResponse response, Duration timeToLive,
		long token) implements ClaimResult {

	private static final long NO_TOKEN = 0;

	/**
	 * Creates a record without the token of its writer, as a cache holds it.
	 * @param fingerprint the fingerprint of the request
	 * @param response the response
	 * @param timeToLive the remaining time to live
	 */
	public StoredRecord(byte[] fingerprint, EncodedResponse response, Duration timeToLive) {
		this(fingerprint, response, timeToLive, NO_TOKEN);
	}

	/**
	 * Returns whether an execution has written this record.
	 * @param finished the record of the execution
	 * @return whether the tokens are the same
	 */
	public boolean isWrittenAs(FinishedRecord finished) {
		return this.token != NO_TOKEN && this.token == finished.token();
	}

}
