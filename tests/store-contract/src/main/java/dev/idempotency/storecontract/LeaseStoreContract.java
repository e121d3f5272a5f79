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
package dev.idempotency.storecontract;

import java.time.Duration;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A part of the contract for stores that keep leases.
 */
abstract class LeaseStoreContract extends StoreContract {

	@Override
	LeaseStore store() {
		return (LeaseStore) harness().store();
	}

	Lease lease(Identity identity) {
		return leased(store().lease(request(identity))).lease();
	}

	/**
	 * Returns an expired claim.
	 */
	Lease expiredLease(Identity identity) {
		return leased(store().lease(request(identity, Duration.ZERO))).lease();
	}

	/**
	 * Returns a request without an answer, as an operator finds it.
	 */
	UnfinishedRecord found(Identity identity) {
		return unfinished().find(identity).orElseThrow();
	}

	/**
	 * Returns an expired claim beside a record that was written without it.
	 */
	Lease leftOver(Identity identity) {
		Lease lease = expiredLease(identity);
		assertThat(inTransaction(() -> store().finishAfterRollback(finished(identity, "answer")))).isTrue();
		return lease;
	}

	/**
	 * Marks a claim as one that has committed effects.
	 */
	void commitEffects(Lease lease) {
		inTransaction(() -> store().confirm(lease, Effect.ONCE));
	}

	/**
	 * Returns the lease of another caller, as a probe finds it.
	 */
	Lease leaseOf(Identity identity) {
		return expect(ClaimResult.LeasedElsewhere.class, store().probe(identity)).lease();
	}

	static ClaimResult.Leased leased(ClaimResult attempt) {
		return expect(ClaimResult.Leased.class, attempt);
	}

}
