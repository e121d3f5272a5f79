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
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of claims with leases.
 */
abstract class LeasedContract extends LeaseStoreContract {

	private static final byte[] OTHER_FINGERPRINT = { 9 };

	@Test
	void aFirstClaimIsAFirstAttemptWithoutProgress() {
		ClaimResult.Leased attempt = leased(store().lease(request(identity())));
		Progress progress = attempt.progress();
		assertThat(progress.attempts()).isEqualTo(1);
		assertThat(progress.recoveryPoint()).isNull();
		assertThat(progress.steps()).isNull();
		assertThat(store().isHeld(attempt.lease())).isTrue();
	}

	@Test
	void aClaimIsKnownToAllWhateverBecomesOfTheTransactionAroundIt() {
		Identity identity = identity();
		Lease lease = rolledBack(() -> lease(identity));
		assertLeased(identity, ClaimResult.Held.class, lease);
	}

	@Test
	void aClaimEndsWithItsTime() {
		Identity identity = identity();
		Lease lease = lease(identity);
		passTime(Duration.ofMinutes(59));
		assertLeased(identity, ClaimResult.Held.class, lease);
		passTime(Duration.ofMinutes(1));
		assertLeased(identity, ClaimResult.Abandoned.class, lease);
	}

	private void assertLeased(Identity identity, Class<? extends ClaimResult.LeasedElsewhere> state, Lease lease) {
		for (ClaimResult attempt : List.of(acquire(identity), store().probe(identity),
				store().lease(takeover(identity, FINGERPRINT, false, MANY_ATTEMPTS)))) {
			assertThat(attempt).isInstanceOfSatisfying(state, (leased) -> {
				assertThat(leased.lease()).isEqualTo(lease);
				assertThat(leased.fingerprint()).isEqualTo(FINGERPRINT);
			});
		}
	}

	@Test
	void anExpiredClaimIsTakenOverWithANewFence() {
		Identity identity = identity();
		Lease former = expiredLease(identity);
		ClaimResult.Leased attempt = leased(store().lease(new LeaseRequest(identity, "POST /test", FINGERPRINT, null,
				HOUR, true, MANY_ATTEMPTS, LeaseLimits.NONE)));
		assertThat(attempt.progress().attempts()).isEqualTo(2);
		assertThat(attempt.lease().fence()).isNotEqualTo(former.fence());
		assertThat(store().isHeld(former)).isFalse();
		assertThat(store().isHeld(attempt.lease())).isTrue();
		assertThat(found(identity).command()).as("kept").isEqualTo(COMMAND);
	}

	@Test
	void anExpiredClaimIsNotTakenOverByARequestThatMustNot() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		for (LeaseRequest request : List.of(takeover(identity, FINGERPRINT, false, MANY_ATTEMPTS),
				takeover(identity, FINGERPRINT, true, 1), takeover(identity, OTHER_FINGERPRINT, true, MANY_ATTEMPTS))) {
			ClaimResult attempt = store().lease(request);
			assertThat(attempt).isInstanceOfSatisfying(ClaimResult.Abandoned.class,
					(abandoned) -> assertThat(abandoned.fingerprint()).isEqualTo(FINGERPRINT));
		}
		assertThat(store().isHeld(lease)).isTrue();
	}

	private static LeaseRequest takeover(Identity identity, byte[] fingerprint, boolean allowed, int maxAttempts) {
		return new LeaseRequest(identity, "POST /test", fingerprint, COMMAND, HOUR, allowed, maxAttempts,
				LeaseLimits.NONE);
	}

	@Test
	void effectsThatMustNotBeMadeTwiceKeepAClaimFromBeingTakenOver() {
		Identity once = identity();
		commitEffects(expiredLease(once));
		assertThat(store().lease(request(once))).isInstanceOf(ClaimResult.Abandoned.class);
		Identity repeatable = identity();
		Lease lease = expiredLease(repeatable);
		assertThat(inTransaction(() -> store().confirm(lease, Effect.REPEATABLE))).isTrue();
		assertThat(store().lease(request(repeatable))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void effectsThatWereRolledBackDoNot() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		assertThat(rolledBack(() -> store().confirm(lease, Effect.ONCE))).isTrue();
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void aRecordAlwaysWinsUnlessItsTimeIsOver() {
		Identity identity = identity();
		execute(finished(identity, "answer"));
		assertThat(store().lease(request(identity))).isInstanceOf(StoredRecord.class);
		passTime(HOUR);
		assertThat(lease(identity)).isNotNull();
	}

	@Test
	@Tag("X21")
	void aClaimThatMeetsTheFinishLeavesNothingBehind() {
		for (int i = 0; i < 20; i++) {
			Identity identity = identity();
			Lease owner = expiredLease(identity);
			CompletableFuture<ClaimResult> duplicate = inTransaction(() -> {
				assertThat(store().finish(owner, finished(identity, "answer"))).isTrue();
				return Parallel.start(() -> store().lease(request(identity)));
			});
			assertThat(duplicate.join()).isNotInstanceOf(ClaimResult.Leased.class);
			assertThat(unfinished().find(identity)).isEmpty();
		}
	}

	/**
	 * Claims a new request with the same key, after the record has expired.
	 */
	@Test
	@Tag("X21")
	void aClaimBesideARecordKeepsNobodyFromTheKeyWhenTheRecordHasExpired() {
		Identity identity = identity();
		leftOver(identity);
		passTime(HOUR);
		LeaseRequest next = takeover(identity, OTHER_FINGERPRINT, true, MANY_ATTEMPTS);
		ClaimResult attempt = store().lease(next);
		assertThat(attempt).isInstanceOfAny(ClaimResult.Busy.class, ClaimResult.Leased.class);
		if (attempt instanceof ClaimResult.Busy) {
			assertThat(store().lease(next)).isInstanceOf(ClaimResult.Leased.class);
		}
	}

	@Test
	@Tag("C9")
	void aClaimOfWhatATransactionHasLockedIsNotAcquired() {
		Identity identity = identity();
		rolledBack(() -> {
			store().acquire(identity);
			ClaimResult attempt = Parallel.elsewhere(() -> store().lease(request(identity)));
			assertThat(attempt).isInstanceOf(ClaimResult.Busy.class);
			return true;
		});
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Leased.class);
	}

	@Test
	void aReleasedClaimHasNeverBeen() {
		Identity identity = identity();
		Lease former = lease(identity);
		store().release(former);
		assertThat(unfinished().find(identity)).isEmpty();
		ClaimResult.Leased attempt = leased(store().lease(request(identity)));
		assertThat(attempt.progress().attempts()).isEqualTo(1);
		assertThat(attempt.lease().fence()).as("never twice").isNotEqualTo(former.fence());
	}

	@Test
	void abandonedClaimsExpireAtOnce() {
		Identity first = identity();
		Identity second = identity();
		store().abandon(List.of(lease(first), lease(second)));
		assertThat(leased(store().lease(request(first))).progress().attempts()).isEqualTo(2);
		assertThat(leased(store().lease(request(second))).progress().attempts()).isEqualTo(2);
	}

	@Test
	void extendedClaimsHoldFromNowOn() {
		Identity first = identity();
		Identity second = identity();
		store().extend(List.of(lease(first), expiredLease(second)), Duration.ofHours(3));
		passTime(Duration.ofMinutes(179));
		assertThat(acquire(first)).isInstanceOf(ClaimResult.Held.class);
		assertThat(acquire(second)).isInstanceOf(ClaimResult.Held.class);
		passTime(Duration.ofMinutes(1));
		assertThat(acquire(first)).isInstanceOf(ClaimResult.Abandoned.class);
		assertThat(acquire(second)).isInstanceOf(ClaimResult.Abandoned.class);
	}

	@Test
	void anExpiredClaimIsSupersededByATransactionOrStaysAsItIs() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		assertThat(rolledBack(() -> supersede(lease))).isTrue();
		assertThat(store().isHeld(lease)).isTrue();
		assertThat(inTransaction(() -> supersede(lease) && store().finishAfterRollback(finished(identity, "answer"))))
			.isTrue();
		assertThat(store().isHeld(lease)).isFalse();
		assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
	}

	@Test
	void aClaimThatHoldsOrHasComeToSomethingIsNotSuperseded() {
		assertThat(rolledBack(() -> supersede(lease(identity())))).as("holds").isFalse();
		Lease effects = expiredLease(identity());
		commitEffects(effects);
		assertThat(rolledBack(() -> supersede(effects))).as("has effects").isFalse();
		Lease advanced = lease(identity());
		store().advance(advanced, null, "step", new byte[] { 5 }, HOUR);
		store().interrupt(advanced, new Interruption(null, true));
		assertThat(rolledBack(() -> supersede(advanced))).as("has a recovery point").isFalse();
	}

	private boolean supersede(Lease lease) {
		store().acquire(lease.identity());
		return store().supersede(lease);
	}

}
