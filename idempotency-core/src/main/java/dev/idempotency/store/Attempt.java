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
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What an attempt to take an identity found.
 *
 * @param kind what was found
 * @param foundRecord the record of {@link Kind#FOUND}; of {@link Kind#HELD},
 * {@link Kind#ABANDONED} and {@link Kind#STUCK} the fingerprint alone
 * @param lease the claim that was made or found, {@code null} if there is none
 * @param progress how far a request had come whose lease was taken, otherwise
 * {@code null}
 */
public record Attempt(Kind kind, @Nullable StoredRecord foundRecord, @Nullable Lease lease,
		@Nullable Progress progress) {

	/**
	 * What was found.
	 */
	public enum Kind {

		/**
		 * There is no record and the identity is now the caller's.
		 */
		ACQUIRED,

		/**
		 * There is a record.
		 */
		FOUND,

		/**
		 * There is no record, and somebody else holds the identity for a transaction.
		 */
		BUSY,

		/**
		 * There is no record, and somebody else holds a lease.
		 */
		HELD,

		/**
		 * There is no record, and somebody's lease has expired.
		 */
		ABANDONED,

		/**
		 * There is no record, and the request of an expired lease needs manual
		 * resolution. Nobody takes it over.
		 */
		STUCK,

		/**
		 * There is neither a record nor a lease, and the account has as many unfinished
		 * requests as it may have. Nothing was claimed.
		 */
		LIMITED

	}

	/**
	 * An attempt that took the lock of the transaction.
	 * @return the attempt
	 */
	public static Attempt acquired() {
		return new Attempt(Kind.ACQUIRED, null, null, null);
	}

	/**
	 * An attempt that took a lease.
	 * @param lease the lease
	 * @param progress how far the request had come
	 * @return the attempt
	 */
	public static Attempt acquired(Lease lease, Progress progress) {
		return new Attempt(Kind.ACQUIRED, null, lease, progress);
	}

	/**
	 * An attempt that found a record.
	 * @param stored the record
	 * @return the attempt
	 */
	public static Attempt found(StoredRecord stored) {
		return new Attempt(Kind.FOUND, stored, null, null);
	}

	/**
	 * An attempt that found somebody's lease.
	 * @param kind {@link Kind#HELD}, {@link Kind#ABANDONED} or {@link Kind#STUCK}
	 * @param fingerprint the fingerprint of the leased request
	 * @param lease the lease
	 * @return the attempt
	 */
	public static Attempt leased(Kind kind, byte[] fingerprint, Lease lease) {
		return new Attempt(kind, new StoredRecord(fingerprint, null, Duration.ZERO), lease, null);
	}

	/**
	 * An attempt that found the identity locked.
	 * @return the attempt
	 */
	public static Attempt busy() {
		return new Attempt(Kind.BUSY, null, null, null);
	}

	/**
	 * An attempt that the limits of the account have refused.
	 * @return the attempt
	 */
	public static Attempt limited() {
		return new Attempt(Kind.LIMITED, null, null, null);
	}

	/**
	 * This attempt, when somebody else is already working on what was abandoned.
	 * @return the attempt
	 */
	public Attempt asHeld() {
		return new Attempt(Kind.HELD, this.foundRecord, this.lease, null);
	}

	/**
	 * The record or the fingerprint that was found.
	 * @return the record
	 * @throws NullPointerException if there is none
	 */
	public StoredRecord requireRecord() {
		return Objects.requireNonNull(this.foundRecord, "No record was found");
	}

	/**
	 * The lease that was made or found.
	 * @return the lease
	 * @throws NullPointerException if there is none
	 */
	public Lease requireLease() {
		return Objects.requireNonNull(this.lease, "There is no lease");
	}

	/**
	 * How far the request had come whose lease was taken.
	 * @return the progress
	 * @throws NullPointerException if no lease was taken
	 */
	public Progress requireProgress() {
		return Objects.requireNonNull(this.progress, "No lease was taken");
	}

}
