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
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.UnfinishedStore.Backoff;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of the completer's selection of unfinished requests.
 */
abstract class CompletedContract extends LeaseStoreContract {

	private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(30));

	static RecoveryRequest due(int limit, Duration after, int maxAttempts) {
		return new RecoveryRequest(limit, HOUR, after, maxAttempts, BACKOFF);
	}

	private List<Recovery> claimDue() {
		return unfinished().claimDue(due(10, Duration.ZERO, MANY_ATTEMPTS));
	}

	private Recovery claimOne() {
		return claimDue().get(0);
	}

	@Test
	void whatIsUnderALeaseIsNotDue() {
		lease(identity());
		assertThat(claimDue()).isEmpty();
	}

	@Test
	void whatHasExpiredIsLeftToItsSenderForATime() {
		lease(identity());
		passTime(HOUR.plusMinutes(59));
		assertThat(unfinished().claimDue(due(10, HOUR, MANY_ATTEMPTS))).isEmpty();
		passTime(Duration.ofMinutes(2));
		assertThat(unfinished().claimDue(due(10, HOUR, MANY_ATTEMPTS))).hasSize(1);
	}

	@Test
	void aClaimHasANewFenceAndOneAttemptMore() {
		Lease before = lease(identity());
		store().advance(before, null, "step", new byte[] { 5 }, HOUR);
		passTime(HOUR);
		Recovery recovery = claimOne();
		assertThat(recovery.lease().identity()).isEqualTo(before.identity());
		assertThat(recovery.lease().identity().account()).isEqualTo(ACCOUNT);
		assertThat(recovery.lease().fence()).isNotEqualTo(before.fence());
		assertThat(recovery.operation()).isEqualTo("POST /test");
		assertThat(recovery.command()).isEqualTo(COMMAND);
		assertThat(recovery.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(recovery.progress().attempts()).isEqualTo(2);
		assertThat(recovery.progress().recoveryPoint()).isEqualTo("step");
		assertThat(recovery.progress().steps()).containsExactly(5);
		assertThat(store().isHeld(before)).isFalse();
		assertThat(store().isHeld(recovery.lease())).isTrue();
		assertThat(claimDue()).as("under a lease").isEmpty();
	}

	@Test
	void whatCannotBeRepeatedOrHasEffectsIsNotClaimed() {
		store().lease(new LeaseRequest(identity(), "POST /test", FINGERPRINT, null, HOUR, true, MANY_ATTEMPTS,
				LeaseLimits.NONE));
		commitEffects(lease(identity()));
		passTime(HOUR);
		assertThat(claimDue()).isEmpty();
	}

	@Test
	@Tag("X21")
	void aClaimBesideARecordIsNotDueAndIsDeleted() {
		Identity identity = identity();
		Lease lease = leftOver(identity);
		assertThat(claimDue()).isEmpty();
		assertThat(store().isHeld(lease)).isFalse();
		assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
	}

	@Test
	@Tag("Y12")
	void whatHasBeenDueForLongestComesFirstAndNoMoreThanTheLimit() {
		Lease triedTwice = expiredLease(identity());
		store().lease(request(triedTwice.identity(), Duration.ZERO));
		passTime(Duration.ofSeconds(1));
		expiredLease(identity());
		assertThat(claimFirst()).isEqualTo(triedTwice.identity());
	}

	@Test
	@Tag("Y12")
	void oldWorkThatFailsGoesBehindNewWorkAndComesBeforeNewerWork() {
		Identity failing = expiredLease(identity()).identity();
		Recovery failed = claimOne();
		store().interrupt(failed.lease(), new Interruption(null, true));
		Identity fresh = expiredLease(identity()).identity();
		assertThat(claimFirst()).isEqualTo(fresh);
		lease(identity());
		passTime(HOUR.multipliedBy(2));
		assertThat(claimFirst()).isIn(failing, fresh);
		assertThat(claimFirst()).isIn(failing, fresh);
	}

	@Test
	@Tag("Y12")
	void eachAccountHasItsTurnHoweverMuchWorkAnotherHas() {
		for (int i = 0; i < 5; i++) {
			expiredLease(identity());
		}
		passTime(HOUR);
		Identity other = expiredLease(identity(new byte[] { 3 })).identity();
		assertThat(unfinished().claimDue(due(2, Duration.ZERO, MANY_ATTEMPTS)))
			.extracting((recovery) -> recovery.lease().identity())
			.hasSize(2)
			.contains(other);
	}

	private Identity claimFirst() {
		List<Recovery> claimed = unfinished().claimDue(due(1, Duration.ZERO, MANY_ATTEMPTS));
		assertThat(claimed).hasSize(1);
		return claimed.get(0).lease().identity();
	}

	@Test
	@Tag("P5")
	void attemptsAreCountedByTheClaimSoThatOneThatTakesItsNodeDownIsCounted() {
		lease(identity());
		for (int attempt = 1; attempt < 4; attempt++) {
			passTime(HOUR);
			assertThat(unfinished().claimDue(due(10, Duration.ZERO, 4))).as("after attempt %d", attempt).hasSize(1);
		}
		passTime(HOUR);
		assertThat(unfinished().claimDue(due(10, Duration.ZERO, 4))).isEmpty();
		assertThat(unfinished().markStuck(4, HOUR)).containsExactly("POST /test");
	}

	@Test
	void thePauseGrowsWithEachAttemptUpToItsMaximumAndIsSetByTheClaim() {
		Identity identity = identity();
		lease(identity);
		for (long seconds : List.of(20L, 40L, 80L, 160L, 320L, 640L, 1280L, 1800L, 1800L)) {
			passTime(HOUR);
			assertThat(claimDue()).hasSize(1);
			UnfinishedRecord claimed = found(identity);
			// The lease of a claim is an hour, and both times are of one statement.
			Instant claimedAt = claimed.leaseUntil().minus(HOUR);
			assertThat(Duration.between(claimedAt, claimed.retryAt()).toMillis()).isBetween(seconds * 800 - 100,
					seconds * 1000 + 100);
		}
	}

	@Test
	void theLongestPauseDoesNotOverflowAfterAnyNumberOfAttempts() {
		lease(identity());
		for (int i = 0; i < 160; i++) {
			passTime(Duration.ofDays(1));
			assertThat(unfinished().claimDue(new RecoveryRequest(1, HOUR, Duration.ZERO, MANY_ATTEMPTS,
					new Backoff(Duration.ofDays(1), Duration.ofDays(1)))))
				.hasSize(1);
		}
	}

	@Test
	void whatFailedIsNotDueBeforeItsPauseIsOver() {
		lease(identity());
		passTime(HOUR);
		store().interrupt(claimOne().lease(), new Interruption("Failure", true));
		assertThat(claimDue()).isEmpty();
		passTime(Duration.ofSeconds(20));
		assertThat(claimDue()).hasSize(1);
	}

	@Test
	void aSenderWhoTriesGetsItsTimeAgain() {
		Identity identity = identity();
		lease(identity);
		passTime(HOUR);
		Lease lease = claimOne().lease();
		passTime(Duration.ofMinutes(1));
		store().interrupt(lease, new Interruption(null, false));
		assertThat(retryAt(identity)).isNull();
		assertThat(unfinished().claimDue(due(10, HOUR, MANY_ATTEMPTS))).isEmpty();
	}

	@Test
	void aSenderWhoTriesDoesNotShortenAPauseAndIsNotKeptBackByIt() {
		Identity identity = identity();
		lease(identity);
		passTime(HOUR);
		store().interrupt(claimOne().lease(), new Interruption("Failure", true));
		Instant retryAt = retryAt(identity);
		assertThat(retryAt).isNotNull();
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Leased.class);
		store().interrupt(leaseOf(identity), new Interruption(null, false));
		assertThat(retryAt(identity)).isEqualTo(retryAt);
		assertThat(claimDue()).isEmpty();
	}

	private @Nullable Instant retryAt(Identity identity) {
		return found(identity).retryAt();
	}

	@Test
	void claimsOfNodesAtTheSameTimeAreDifferentOnes() {
		for (int i = 0; i < 40; i++) {
			expiredLease(identity());
		}
		List<List<Recovery>> claims = Parallel.run(8, this::claimDue);
		List<Identity> claimed = claims.stream()
			.flatMap(List::stream)
			.map((recovery) -> recovery.lease().identity())
			.toList();
		assertThat(claimed).doesNotHaveDuplicates();
		assertThat(claims).allSatisfy((one) -> assertThat(one).hasSizeLessThanOrEqualTo(10));
		int rest = unfinished().claimDue(due(40, Duration.ZERO, MANY_ATTEMPTS)).size();
		assertThat(claimed.size() + rest).isEqualTo(40);
	}

}
