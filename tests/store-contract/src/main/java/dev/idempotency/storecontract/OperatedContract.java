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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Oldest;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.OperatorStore.Sweep;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of operators' queries and purges.
 */
abstract class OperatedContract extends LeaseStoreContract {

	private static final byte[] OTHER_ACCOUNT = { 3 };

	@Test
	void anEmptyStoreHasNothing() {
		Overview overview = operators().overview();
		assertThat(overview.records()).isNotNegative();
		assertThat(overview).extracting(Overview::running, Overview::waiting, Overview::stuck).containsExactly(0, 0, 0);
		assertThat(overview.oldest()).isNull();
	}

	@Test
	void unfinishedRequestsAreCountedByTheirState() {
		expiredLease(identity());
		unfinished().markStuck(1, HOUR);
		passTime(Duration.ofMinutes(5));
		expiredLease(identity());
		expiredLease(identity());
		lease(identity());
		Overview overview = operators().overview();
		assertThat(overview).extracting(Overview::running, Overview::waiting, Overview::stuck).containsExactly(1, 2, 1);
		Oldest oldest = Objects.requireNonNull(overview.oldest());
		assertThat(oldest.operation()).isEqualTo("POST /test");
		assertThat(oldest.age()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
		assertThat(harness().operators("another application").overview().oldest()).isNull();
	}

	@Test
	void aFinishedRecordIsFoundUntilItsTimeIsOver() {
		Identity identity = identity();
		assertThat(operators().find(identity)).isEmpty();
		execute(finished(identity, "answer"));
		KeptRecord kept = operators().find(identity).orElseThrow();
		assertThat(kept.identity()).isEqualTo(identity);
		assertThat(kept.identity().account()).isEqualTo(ACCOUNT);
		assertThat(kept.operation()).isEqualTo("POST /test");
		assertThat(kept.response()).usingRecursiveComparison().isEqualTo(answer("answer"));
		passTime(HOUR);
		assertThat(operators().find(identity)).isEmpty();
	}

	@Test
	void answersAndRequestsAreFoundByTheBeginningOfTheirIds() {
		Identity answered = identity();
		Identity open = identity(OTHER_ACCOUNT);
		execute(finished(answered, "answer"));
		expiredLease(open);
		assertThat(between(answered, 10)).containsExactly(answered);
		assertThat(between(answered, 10).get(0).account()).isEqualTo(ACCOUNT);
		assertThat(between(open, 10)).containsExactly(open);
		assertThat(between(open, 10).get(0).account()).isEqualTo(OTHER_ACCOUNT);
		assertThat(between(identity(), 10)).isEmpty();
		byte[] greatest = new byte[32];
		Arrays.fill(greatest, (byte) 0xff);
		assertThat(operators().between(new byte[32], greatest, 1)).hasSize(1);
		assertThat(harness().operators("another application")
			.between(beginning(open, (byte) 0), beginning(open, (byte) 0xff), 10)).isEmpty();
	}

	private List<Identity> between(Identity identity, int limit) {
		return operators().between(beginning(identity, (byte) 0), beginning(identity, (byte) 0xff), limit);
	}

	/**
	 * Returns the bounds of the ids that begin with the part in log lines.
	 */
	private static byte[] beginning(Identity identity, byte rest) {
		byte[] digest = identity.digest();
		Arrays.fill(digest, 6, digest.length, rest);
		return digest;
	}

	@Test
	void theUnfinishedRequestsOfAnAccountAreDeletedUnlessTheyAreRunning() {
		OperatorStore other = harness().operators("another application");
		Lease running = lease(identity());
		Lease left = expiredLease(identity());
		Lease foreign = expiredLease(identity(OTHER_ACCOUNT));
		assertThat(operators().countUnfinished(ACCOUNT)).isEqualTo(2);
		assertThat(other.countUnfinished(ACCOUNT)).isZero();
		assertThat(other.deleteUnfinished(ACCOUNT)).isZero();
		assertThat(operators().deleteUnfinished(ACCOUNT)).isEqualTo(1);
		assertThat(store().isHeld(running)).isTrue();
		assertThat(store().isHeld(left)).isFalse();
		assertThat(store().isHeld(foreign)).isTrue();
	}

	@Test
	void requestsWithCommittedEffectsOrStepsAreNotDeletedWithTheirAccount() {
		Lease effects = expiredLease(identity());
		commitEffects(effects);
		Lease steps = expiredLease(identity());
		store().advance(steps, null, null, new byte[] { 5 }, Duration.ZERO);
		Lease nothing = expiredLease(identity());
		assertThat(operators().deleteUnfinished(ACCOUNT)).isEqualTo(1);
		assertThat(List.of(effects, steps)).allMatch(store()::isHeld);
		assertThat(store().isHeld(nothing)).isFalse();
		assertThat(operators().countUnfinished(ACCOUNT)).isEqualTo(2);
	}

	@Test
	void theRecordsOfAnAccountAreDeletedPartByPart() {
		List<Identity> mine = new ArrayList<>();
		List<Identity> others = new ArrayList<>();
		for (int i = 0; i < 7; i++) {
			mine.add(identity());
			others.add(identity(OTHER_ACCOUNT));
			execute(finished(mine.get(i), "mine"));
			execute(finished(others.get(i), "other"));
		}
		List<Identity> deleted = new ArrayList<>();
		byte @Nullable [] last = null;
		int parts = 0;
		do {
			Sweep sweep = operators().deleteFinished(ACCOUNT, last, 4);
			assertThat(sweep.deleted()).hasSizeLessThanOrEqualTo(4);
			deleted.addAll(sweep.deleted());
			last = sweep.last();
			parts++;
		}
		while (last != null);
		assertThat(parts).as("14 records, 4 at a time").isEqualTo(4);
		assertThat(deleted).containsExactlyInAnyOrderElementsOf(mine);
		assertThat(mine)
			.allSatisfy((identity) -> assertThat(acquire(identity)).isInstanceOf(ClaimResult.Acquired.class));
		assertThat(others).allSatisfy((identity) -> assertThat(acquire(identity)).isInstanceOf(StoredRecord.class));
	}

}
