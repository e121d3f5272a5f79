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

import dev.idempotency.store.Lease.Progress;

/**
 * The result of an attempt to take an identity. A store without leases returns
 * {@link Acquired}, {@link StoredRecord} and {@link Busy} only.
 */
public sealed interface ClaimResult permits ClaimResult.Acquired, ClaimResult.Leased, StoredRecord, ClaimResult.Busy,
		ClaimResult.LeasedElsewhere, ClaimResult.Limited {

	/**
	 * The lock of an identity without a record. The caller holds it until its transaction
	 * ends.
	 */
	record Acquired() implements ClaimResult {
	}

	/**
	 * A lease on an identity without a record, held by the caller.
	 *
	 * @param lease the lease
	 * @param progress the progress of an earlier owner
	 */
	record Leased(Lease lease, Progress progress) implements ClaimResult {
	}

	/**
	 * An identity without a record that another caller has locked in a transaction.
	 */
	record Busy() implements ClaimResult {
	}

	/**
	 * An identity without a record under the lease of another caller.
	 */
	sealed interface LeasedElsewhere extends ClaimResult permits Held, Abandoned, Stuck {

		/**
		 * Returns the fingerprint of the leased request.
		 * @return the fingerprint
		 */
		byte[] fingerprint();

		/**
		 * Returns the lease.
		 * @return the lease
		 */
		Lease lease();

	}

	/**
	 * Another caller holds the lease.
	 *
	 * @param fingerprint the fingerprint of the leased request
	 * @param lease the lease
	 */
	record Held(byte[] fingerprint, Lease lease) implements LeasedElsewhere {
	}

	/**
	 * The lease of another caller has expired.
	 *
	 * @param fingerprint the fingerprint of the leased request
	 * @param lease the lease
	 */
	record Abandoned(byte[] fingerprint, Lease lease) implements LeasedElsewhere {

		/**
		 * Converts this attempt for an abandoned request on which another caller is
		 * already working.
		 * @return the attempt
		 */
		public Held asHeld() {
			return new Held(this.fingerprint, this.lease);
		}

	}

	/**
	 * The lease of another caller has expired. The request needs manual resolution and is
	 * not taken over.
	 *
	 * @param fingerprint the fingerprint of the leased request
	 * @param lease the lease
	 */
	record Stuck(byte[] fingerprint, Lease lease) implements LeasedElsewhere {
	}

	/**
	 * A refusal: no record and no lease, but the account has reached its limit of
	 * unfinished requests. Nothing was claimed.
	 */
	record Limited() implements ClaimResult {
	}

}
