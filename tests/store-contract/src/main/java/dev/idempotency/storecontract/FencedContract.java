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
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.RecordConflictException;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of fencing: only the owner changes or ends a claim.
 */
abstract class FencedContract extends LeaseStoreContract {

	private static final byte[] STEPS = { 5 };

	/**
	 * Covers statements of a paused thread, and messages that the network has delayed.
	 */
	@ParameterizedTest
	@EnumSource
	@Tag("X10")
	void whatArrivesAfterTheEndOfAClaimChangesNothing(End end) {
		Identity identity = identity();
		Lease former = expiredLease(identity);
		switch (end) {
			case TAKEN_OVER -> lease(identity);
			case TAKEN_BY_THE_COMPLETER ->
				unfinished().claimDue(CompletedContract.due(1, Duration.ZERO, MANY_ATTEMPTS));
			case TAKEN_BY_AN_OPERATOR -> unfinished().claim(found(identity), HOUR);
			case RETRIED_BY_AN_OPERATOR -> unfinished().retry(found(identity));
			case INTERRUPTED -> store().interrupt(former, new Interruption("Failure", true));
			case RELEASED -> store().release(former);
			case FINISHED -> store().finish(former, finished(identity, "answer"));
			case SUPERSEDED -> inTransaction(() -> store().acquire(identity) instanceof ClaimResult.Abandoned
					&& store().supersede(former) && store().finishAfterRollback(finished(identity, "answer")));
			case PURGED -> operators().deleteUnfinished(ACCOUNT);
		}
		Object before = List.of(unfinished().find(identity), operators().find(identity));
		assertThat(store().isHeld(former)).isFalse();
		store().extend(List.of(former), HOUR.multipliedBy(2));
		store().abandon(List.of(former));
		store().release(former);
		store().interrupt(former, new Interruption("Late", true));
		assertThat(store().progress(former)).isEmpty();
		assertThat(store().advance(former, null, "late", STEPS, HOUR)).isFalse();
		assertThat(store().finish(former, finished(identity, "late"))).isFalse();
		List.<BooleanSupplier>of(() -> store().confirm(former, Effect.ONCE),
				() -> store().hold(former, Isolation.DEFAULT), () -> store().hold(former),
				() -> store().advance(former, null, "late", STEPS, HOUR),
				() -> store().finish(former, finished(identity, "late")), () -> store().supersede(former))
			.forEach((late) -> assertThat(rolledBack(late::getAsBoolean)).isFalse());
		isRefusedByTheCommit(LeaseLostException.class, () -> store().confirmWithCommit(former, Effect.ONCE));
		isRefusedByTheCommit(LeaseLostException.class, () -> finishLast(former, "late"));
		assertThat(List.of(unfinished().find(identity), operators().find(identity))).usingRecursiveComparison()
			.isEqualTo(before);
	}

	private enum End {

		TAKEN_OVER, TAKEN_BY_THE_COMPLETER, TAKEN_BY_AN_OPERATOR, RETRIED_BY_AN_OPERATOR, INTERRUPTED, RELEASED,
		FINISHED, SUPERSEDED, PURGED

	}

	@Test
	void anOwnerFinishesOnce() {
		Identity identity = identity();
		expiredLease(identity);
		Lease owner = lease(identity);
		assertThat(store().finish(owner, finished(identity, "answer"))).isTrue();
		assertThat(store().finish(owner, finished(identity, "again"))).isFalse();
		assertThat(recordOf(identity).response()).isEqualTo(answer("answer"));
	}

	@Test
	void aFinishWithoutATransactionIsOneOfItsOwn() {
		Identity identity = identity();
		assertThat(store().finish(lease(identity), finished(identity, "answer"))).isTrue();
		assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
		assertThat(unfinished().find(identity)).isEmpty();
	}

	@Test
	void aFinishEndsTheClaimAndWritesTheRecordOrNeither() {
		Identity identity = identity();
		Lease lease = lease(identity);
		assertThat(rolledBack(() -> store().finish(lease, finished(identity, "answer")))).isTrue();
		assertThat(store().isHeld(lease)).isTrue();
		assertThat(acquire(identity)).isInstanceOf(ClaimResult.Held.class);
		assertThat(inTransaction(() -> store().finish(lease, finished(identity, "answer")))).isTrue();
		assertThat(store().isHeld(lease)).isFalse();
		assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
	}

	@Test
	void aFinishTakesThePlaceOfAnExpiredRecordAndOfNoOther() {
		Identity identity = identity();
		execute(finished(identity, "first"));
		passTime(HOUR);
		assertThat(store().finish(lease(identity), finished(identity, "second"))).isTrue();
		passTime(HOUR);
		Lease third = lease(identity);
		executeUnclaimed(finished(identity, "other"));
		assertThat(rolledBack(() -> store().finish(third, finished(identity, "third")))).isFalse();
		assertThat(recordOf(identity).response()).isEqualTo(answer("other"));
	}

	/**
	 * Writes a record beside a lease.
	 */
	private void executeUnclaimed(FinishedRecord finished) {
		assertThat(inTransaction(() -> store().finishAfterRollback(finished))).isTrue();
	}

	@Test
	void theOwnerMayFinishAfterItsTimeAsLongAsNobodyHasTakenOver() {
		Identity identity = identity();
		assertThat(store().finish(expiredLease(identity), finished(identity, "answer"))).isTrue();
		assertThat(acquire(identity)).isInstanceOf(StoredRecord.class);
	}

	@Test
	void whatIsConfirmedIsNotTakenOverBeforeTheTransactionEnds() {
		for (int i = 0; i < 20; i++) {
			Identity identity = identity();
			Lease lease = expiredLease(identity);
			CompletableFuture<ClaimResult> other = inTransaction(() -> {
				assertThat(store().confirm(lease, Effect.ONCE)).isTrue();
				return Parallel.start(() -> store().lease(request(identity)));
			});
			assertThat(other.join()).isNotInstanceOf(ClaimResult.Leased.class);
			assertThat(store().isHeld(lease)).isTrue();
		}
	}

	/**
	 * The store refuses it immediately, or the commit fails.
	 */
	@Test
	@Tag("X10")
	void aFenceThatComesWithTheCommitHoldsBackAFormerOwner() {
		Identity identity = identity();
		Lease former = expiredLease(identity);
		Lease owner = lease(identity);
		assertRolledBack(() -> store().confirmWithCommit(former, Effect.ONCE));
		assertThat(found(identity).effects()).isFalse();
		assertThat(inTransaction(() -> store().confirmWithCommit(owner, Effect.ONCE))).isTrue();
		assertThat(found(identity).effects()).isTrue();
		assertThat(rolledBack(() -> store().confirmWithCommit(owner, Effect.ONCE))).isTrue();
	}

	/**
	 * The store finishes immediately, or with the commit.
	 */
	@Test
	@Tag("X10")
	void aFinishThatIsLeftToTheCommitHoldsBackAFormerOwner() {
		Identity identity = identity();
		Lease former = expiredLease(identity);
		Lease owner = lease(identity);
		assertRolledBack(() -> finishLast(former, "late"));
		assertThat(rolledBack(() -> finishLast(owner, "answer"))).isTrue();
		assertThat(store().isHeld(owner)).isTrue();
		assertThat(inTransaction(() -> finishLast(owner, "answer"))).isTrue();
		assertThat(recordOf(identity).response()).isEqualTo(answer("answer"));
		assertThat(unfinished().find(identity)).isEmpty();
	}

	@Test
	void aFinishThatIsLeftToTheCommitDoesNotTakeThePlaceOfALiveRecord() {
		Identity identity = identity();
		Lease lease = lease(identity);
		executeUnclaimed(finished(identity, "other"));
		isRefusedByTheCommit(RecordConflictException.class, () -> finishLast(lease, "late"));
		assertThat(recordOf(identity).response()).isEqualTo(answer("other"));
	}

	/**
	 * Requires that the last call of a former owner is refused immediately, or fails with
	 * the commit, which rolls back the earlier writes of the transaction.
	 */
	private void assertRolledBack(BooleanSupplier last) {
		Lease written = lease(identity());
		if (isRefusedByTheCommit(LeaseLostException.class,
				() -> store().finish(written, finished(written.identity(), "late")) && last.getAsBoolean())) {
			assertThat(store().isHeld(written)).as("rolled back").isTrue();
		}
	}

	private boolean finishLast(Lease lease, String answer) {
		FinishedRecord finished = finished(lease.identity(), answer);
		return store().finishAtCommit(lease, finished) || store().finish(lease, finished);
	}

	@Test
	void whatIsDoneInATransactionOfItsOwnStaysDoneWhenTheCallersIsRolledBack() {
		Lease released = lease(identity());
		Lease abandoned = lease(identity());
		Lease interrupted = lease(identity());
		Lease extended = expiredLease(identity());
		rolledBack(() -> {
			store().release(released);
			store().abandon(List.of(abandoned));
			store().interrupt(interrupted, new Interruption("Failure", true));
			store().extend(List.of(extended), HOUR);
			return true;
		});
		assertThat(acquire(released.identity())).isInstanceOf(ClaimResult.Acquired.class);
		assertThat(acquire(abandoned.identity())).isInstanceOf(ClaimResult.Abandoned.class);
		assertThat(acquire(interrupted.identity())).isInstanceOf(ClaimResult.Abandoned.class);
		assertThat(acquire(extended.identity())).isInstanceOf(ClaimResult.Held.class);
	}

}
