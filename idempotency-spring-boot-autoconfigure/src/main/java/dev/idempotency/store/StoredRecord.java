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
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What the store knows of an identity. A finished record whose time to live has passed is
 * no record.
 *
 * @param fingerprint the fingerprint of the request that the key stands for
 * @param answer the answer, {@code null} while there is none
 * @param timeToLive what was left of the record's life when the database was asked, by
 * its clock; zero where there is no answer
 */
public record StoredRecord(byte[] fingerprint, @Nullable StoredAnswer answer, Duration timeToLive) {

	/**
	 * Whether this record holds exactly the given answer.
	 * @param other the answer to compare with
	 * @return whether status and content are the same
	 */
	public boolean isSameAnswer(StoredAnswer other) {
		return this.answer != null && this.answer.status() == other.status()
				&& Arrays.equals(this.answer.content(), other.content());
	}

}
