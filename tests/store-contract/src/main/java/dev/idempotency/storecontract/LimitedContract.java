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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of the limits on the claims of an account.
 */
abstract class LimitedContract extends LeaseStoreContract {

	@Test
	@Tag("Y12")
	void aNewClaimBeyondTheOpenRequestsOfItsAccountIsRefusedAndOneOfAnotherAccountIsNot() {
		LeaseLimits two = new LeaseLimits(2, 0);
		Lease running = lease(identity());
		Lease waiting = expiredLease(identity());
		Identity third = identity();
		assertThat(store().lease(request(third, two))).isInstanceOf(ClaimResult.Limited.class);
		assertThat(store().probe(third)).as("nothing is left").isInstanceOf(ClaimResult.Acquired.class);
		assertThat(store().lease(request(identity(new byte[] { 3 }), two))).isInstanceOf(ClaimResult.Leased.class);
		assertThat(store().lease(request(running.identity(), two))).isInstanceOf(ClaimResult.Held.class);
		assertThat(store().lease(request(waiting.identity(), two))).as("taken over")
			.isInstanceOf(ClaimResult.Leased.class);
		store().release(running);
		assertThat(store().lease(request(third, two))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	@Tag("Y12")
	void stuckRequestsHaveALimitOfTheirOwnAndAreNotOpen() {
		commitEffects(expiredLease(identity()));
		unfinished().markStuck(MANY_ATTEMPTS, HOUR);
		assertThat(store().lease(request(identity(), new LeaseLimits(0, 1)))).isInstanceOf(ClaimResult.Limited.class);
		assertThat(store().lease(request(identity(), new LeaseLimits(1, 2)))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	@Tag("Y12")
	void whatIsFinishedIsFoundWhateverTheLimits() {
		Identity identity = identity();
		execute(finished(identity, "answer"));
		lease(identity());
		assertThat(store().lease(request(identity, new LeaseLimits(1, 1)))).isInstanceOf(StoredRecord.class);
	}

	private static LeaseRequest request(Identity identity, LeaseLimits limits) {
		return new LeaseRequest(identity, "POST /test", FINGERPRINT, COMMAND, HOUR, true, MANY_ATTEMPTS, limits);
	}

}
