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

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What an attempt to take an identity found.
 *
 * @param kind what was found
 * @param foundRecord the record, for {@link Kind#FOUND} only
 */
public record Attempt(Kind kind, @Nullable StoredRecord foundRecord) {

	/**
	 * What was found.
	 */
	public enum Kind {

		/**
		 * There is no record and the identity is now locked for the current transaction.
		 */
		ACQUIRED,

		/**
		 * There is a record.
		 */
		FOUND,

		/**
		 * There is no record, and somebody else holds the identity.
		 */
		BUSY

	}

	/**
	 * An attempt that took the lock and found no record.
	 * @return the attempt
	 */
	public static Attempt acquired() {
		return new Attempt(Kind.ACQUIRED, null);
	}

	/**
	 * An attempt that found a record.
	 * @param stored the record
	 * @return the attempt
	 */
	public static Attempt found(StoredRecord stored) {
		return new Attempt(Kind.FOUND, stored);
	}

	/**
	 * An attempt that found neither the lock nor a record.
	 * @return the attempt
	 */
	public static Attempt busy() {
		return new Attempt(Kind.BUSY, null);
	}

	/**
	 * The record of {@link Kind#FOUND}.
	 * @return the record
	 * @throws NullPointerException if there is none
	 */
	public StoredRecord requireRecord() {
		return Objects.requireNonNull(this.foundRecord, "No record was found");
	}

}
