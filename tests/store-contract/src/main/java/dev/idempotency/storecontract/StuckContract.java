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
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of requests that need manual resolution, and of the actions on them.
 */
abstract class StuckContract extends LeaseStoreContract {

	@Test
	@Tag("P12")
	void whatIsLeftToItsSenderIsNotDueAndIsResumedByTheSenderWhateverTheExpiryOfLeases() {
		for (Resumption resumption : List.of(Resumption.SENDER, Resumption.SENDER_OF_STUCK)) {
			Identity identity = identity();
			store().interrupt(lease(identity), new Interruption("Failure", true, resumption));
			assertThat(found(identity).stuckAt() != null).isEqualTo(resumption == Resumption.SENDER_OF_STUCK);
			passTime(Duration.ofMinutes(1));
			assertThat(unfinished().claimDue(CompletedContract.due(10, Duration.ZERO, MANY_ATTEMPTS))).isEmpty();
			LeaseRequest waiting = new LeaseRequest(identity, "POST /test", FINGERPRINT, COMMAND, Duration.ZERO, false,
					MANY_ATTEMPTS, LeaseLimits.NONE);
			assertThat(leased(store().lease(waiting)).progress().attempts()).isEqualTo(2);
			assertThat(found(identity).stuckAt()).isNull();
			assertThat(unfinished().claimDue(CompletedContract.due(10, Duration.ZERO, MANY_ATTEMPTS))).hasSize(1);
		}
	}

	@Test
	@Tag("P12")
	void anOperatorWhoLetsItGoOnLetsTheCompleterTryAgain() {
		Identity identity = identity();
		store().interrupt(lease(identity), new Interruption("Failure", true, Resumption.SENDER_OF_STUCK));
		assertThat(unfinished().retry(found(identity))).isTrue();
		assertThat(unfinished().claimDue(CompletedContract.due(10, HOUR, MANY_ATTEMPTS))).hasSize(1);
	}

	@Test
	@Tag("P12")
	void whatIsLeftToASenderWhoDoesNotComeIsStuckForEverybody() {
		Identity identity = identity();
		store().interrupt(lease(identity), new Interruption("Failure", true, Resumption.SENDER));
		passTime(HOUR.multipliedBy(2));
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).containsExactly("POST /test");
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Stuck.class);
	}

	@Test
	@Tag("P13")
	void aStuckRequestLosesItsSenderAndItsCommandInTimeAndStays() {
		Identity identity = identity();
		store().interrupt(lease(identity), new Interruption("Failure", true, Resumption.SENDER_OF_STUCK));
		passTime(HOUR.plusMinutes(1));
		unfinished().retireStuck(HOUR.multipliedBy(2), HOUR.multipliedBy(3));
		assertThat(store().probe(identity)).isInstanceOf(ClaimResult.Abandoned.class);
		passTime(HOUR);
		unfinished().retireStuck(HOUR.multipliedBy(2), HOUR.multipliedBy(3));
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Stuck.class);
		assertThat(found(identity).command()).isEqualTo(COMMAND);
		passTime(HOUR);
		unfinished().retireStuck(HOUR.multipliedBy(2), HOUR.multipliedBy(3));
		assertThat(found(identity).command()).isNull();
		assertThat(found(identity).lastError()).isEqualTo("Failure");
	}

	@Test
	@Tag("X21")
	void aClaimBesideARecordIsNotStuckAndIsDeleted() {
		Lease lease = leftOver(identity());
		passTime(HOUR.multipliedBy(2));
		assertThat(unfinished().markStuck(1, Duration.ZERO)).isEmpty();
		assertThat(store().isHeld(lease)).isFalse();
	}

	@Test
	void stuckIsWhatWasLeftTooLong() {
		lease(identity());
		passTime(HOUR.plusMinutes(59));
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).isEmpty();
		passTime(Duration.ofMinutes(2));
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).containsExactly("POST /test");
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).as("said once").isEmpty();
	}

	@Test
	void whatIsUnfinishedIsNotDeleted() {
		Lease lease = expiredLease(identity());
		passTime(Duration.ofDays(365));
		assertThat(store().deleteExpired(10)).isZero();
		assertThat(store().isHeld(lease)).isTrue();
	}

	@Test
	void stuckIsWhatHasEffectsThatNoStepRemembers() {
		commitEffects(lease(identity()));
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).as("under a lease").isEmpty();
		passTime(HOUR);
		assertThat(unfinished().markStuck(MANY_ATTEMPTS, HOUR)).hasSize(1);
	}

	@Test
	void stuckIsWhatWasTriedTooOften() {
		Lease lease = expiredLease(identity());
		assertThat(unfinished().markStuck(2, HOUR)).isEmpty();
		store().lease(request(lease.identity(), Duration.ZERO));
		assertThat(unfinished().markStuck(2, HOUR)).hasSize(1);
	}

	@Test
	void whatIsStuckIsLeftAlone() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		assertThat(unfinished().markStuck(1, HOUR)).hasSize(1);
		assertThat(unfinished().claimDue(CompletedContract.due(10, Duration.ZERO, MANY_ATTEMPTS))).isEmpty();
		assertThat(store().lease(request(identity))).isInstanceOf(ClaimResult.Stuck.class);
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Stuck.class);
		assertThat(store().probe(identity)).isInstanceOf(ClaimResult.Stuck.class);
		assertThat(rolledBack(() -> store().supersede(lease))).isFalse();
		assertThat(store().isHeld(lease)).isTrue();
	}

	@Test
	void listsHaveTheOldestFirstAndNothingLarge() {
		Identity first = identity();
		Identity second = identity();
		Identity stuck = identity();
		store().advance(lease(first), null, "step", new byte[] { 5 }, HOUR);
		passTime(Duration.ofSeconds(1));
		lease(second);
		passTime(Duration.ofSeconds(1));
		expiredLease(stuck);
		unfinished().markStuck(1, HOUR);
		List<UnfinishedRecord> open = unfinished().list(Filter.OPEN, 10);
		assertThat(open).extracting((request) -> request.lease().identity()).containsExactly(first, second, stuck);
		assertThat(open).extracting(UnfinishedRecord::running).containsExactly(true, true, false);
		assertThat(open).allSatisfy((request) -> {
			assertThat(request.command()).isNull();
			assertThat(request.progress().steps()).isNull();
		});
		assertThat(unfinished().list(Filter.OPEN, 1)).hasSize(1);
		assertThat(unfinished().list(Filter.STUCK, 10)).singleElement().satisfies((request) -> {
			assertThat(request.lease().identity()).isEqualTo(stuck);
			assertThat(request.stuckAt()).isNotNull();
		});
		assertThat(found(stuck).command()).isEqualTo(COMMAND);
		assertThat(found(first).progress().steps()).containsExactly(5);
	}

	@Test
	void listsAreReadPageByPageAlsoWhereAPageEndsWithARequestThatIsFinishedMeanwhile() {
		List<Lease> leases = Stream.generate(() -> lease(identity())).limit(5).toList();
		List<UnfinishedRecord> first = unfinished().list(Filter.OPEN, 2);
		UnfinishedRecord last = first.get(1);
		store().release(last.lease());
		Position after = new Position(last.createdAt(), last.lease().identity());
		List<UnfinishedRecord> second = unfinished().list(Filter.OPEN, after, 2);
		UnfinishedRecord end = second.get(1);
		List<UnfinishedRecord> third = unfinished().list(Filter.OPEN,
				new Position(end.createdAt(), end.lease().identity()), 2);
		assertThat(Stream.of(first, second, third).flatMap(List::stream).map(UnfinishedRecord::lease))
			.containsExactlyInAnyOrderElementsOf(leases);
		assertThat(third).hasSize(1);
		assertThat(unfinished().list(Filter.STUCK, after, 2)).isEmpty();
	}

	@Test
	void aRetryBeginsAnewAndIsDueAtOnce() {
		Identity identity = identity();
		Lease lease = lease(identity);
		commitEffects(lease);
		assertThat(unfinished().retry(found(identity))).as("under a lease").isFalse();
		passTime(HOUR);
		unfinished().markStuck(1, HOUR);
		assertThat(unfinished().retry(found(identity))).isTrue();
		assertThat(unfinished().list(Filter.STUCK, 10)).isEmpty();
		assertThat(unfinished().markStuck(1, HOUR)).as("as if for the first time").isEmpty();
		assertThat(unfinished().claimDue(CompletedContract.due(10, HOUR, 1))).hasSize(1);
	}

	@Test
	void aDecisionAboutAnEarlierClaimChangesNothing() {
		Identity identity = identity();
		expiredLease(identity);
		UnfinishedRecord seen = found(identity);
		assertThat(unfinished().retry(seen)).isTrue();
		assertThat(unfinished().retry(seen)).as("the second click").isFalse();
		commitEffects(expiredLease(identity));
		UnfinishedRecord now = found(identity);
		assertThat(unfinished().retry(seen)).isFalse();
		assertThat(unfinished().claim(seen, HOUR)).isEmpty();
		assertThat(found(identity)).usingRecursiveComparison().isEqualTo(now);
		assertThat(unfinished().retry(now)).isTrue();
		assertThat(found(identity).effects()).isFalse();
		store().release(found(identity).lease());
		assertThat(unfinished().retry(now)).as("unknown").isFalse();
	}

	@Test
	@Tag("X39")
	void effectsThatAnOwnerHasCommittedAfterItsLeaseAreNotForgottenUnseen() {
		Identity identity = identity();
		Lease lease = expiredLease(identity);
		UnfinishedRecord seen = found(identity);
		commitEffects(lease);
		assertThat(unfinished().retry(seen)).isFalse();
		assertThat(unfinished().claim(seen, HOUR)).isEmpty();
		assertThat(store().isHeld(lease)).isTrue();
		assertThat(found(identity).effects()).isTrue();
		assertThat(unfinished().claim(found(identity), HOUR)).as("seen with its effects").isPresent();
	}

	/**
	 * The owner is at work past its lease, and commits after the operator's statement has
	 * begun.
	 */
	@Test
	@Tag("X39")
	void anActionThatMeetsTheCommitOfTheOwnerIsDecidedByOneOfTheTwo() {
		for (int i = 0; i < 20; i++) {
			Identity identity = identity();
			Lease lease = expiredLease(identity);
			UnfinishedRecord seen = found(identity);
			CompletableFuture<Boolean> claimed = inTransaction(() -> {
				assertThat(store().confirm(lease, Effect.ONCE)).isTrue();
				return Parallel.start(() -> unfinished().claim(seen, HOUR).isPresent());
			});
			assertThat(claimed.join()).isFalse();
			assertThat(found(identity).effects()).isTrue();
		}
	}

	@Test
	void anOperatorClaimsWhatNobodyHasWhateverItsState() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(unfinished().claim(found(identity), HOUR)).as("under a lease").isEmpty();
		passTime(HOUR);
		unfinished().markStuck(1, HOUR);
		UnfinishedRecord claimed = unfinished().claim(found(identity), HOUR).orElseThrow();
		assertThat(claimed.lease().fence()).isNotEqualTo(lease.fence());
		assertThat(claimed.running()).isTrue();
		assertThat(claimed.stuckAt()).isNotNull();
		assertThat(claimed.command()).isEqualTo(COMMAND);
		assertThat(unfinished().claim(found(identity), HOUR)).isEmpty();
	}

	@Test
	@Tag("S8")
	void theRequestsOfAnotherApplicationAreLeftAlone() {
		UnfinishedStore other = harness().unfinished("another application");
		Identity identity = identity();
		lease(identity);
		passTime(Duration.ofDays(2));
		assertThat(other.claimDue(CompletedContract.due(10, Duration.ZERO, MANY_ATTEMPTS))).isEmpty();
		assertThat(other.markStuck(1, HOUR)).isEmpty();
		assertThat(other.list(Filter.OPEN, 10)).isEmpty();
		assertThat(other.find(identity)).isEmpty();
		assertThat(other.retry(found(identity))).isFalse();
		assertThat(other.claim(found(identity), HOUR)).isEmpty();
		assertThat(unfinished().find(identity)).isPresent();
	}

}
