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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of retention: the expiry of records by the store's clock, and their
 * deletion.
 */
abstract class RetentionContract extends StoreContract {

	@Test
	void recordsLiveByTheStoresClock() {
		Identity identity = identity();
		Instant before = store().now();
		execute(finished(identity, "answer"));
		Instant after = store().now();
		KeptRecord kept = operators().find(identity).orElseThrow();
		assertThat(kept.finishedAt()).isBetween(before, after);
		assertThat(Duration.between(kept.finishedAt(), kept.expiresAt())).isEqualTo(HOUR);
	}

	@Test
	void onlyWhatHasExpiredIsDeletedAndNoMoreThanTheLimit() {
		for (int i = 0; i < 5; i++) {
			execute(finished(identity(), "expired"));
		}
		passTime(HOUR);
		Identity live = identity();
		execute(finished(live, "live"));
		assertThat(store().deleteExpired(3)).isEqualTo(3);
		assertThat(store().deleteExpired(3)).isEqualTo(2);
		assertThat(store().deleteExpired(3)).isZero();
		assertThat(acquire(live)).isInstanceOf(StoredRecord.class);
	}

	@Test
	@Tag("T3")
	void nodesThatDeleteAtOnceDeleteEachRecordOnce() {
		for (int i = 0; i < 60; i++) {
			execute(finished(identity(), "expired"));
		}
		passTime(HOUR);
		List<Integer> deleted = Parallel.run(4, () -> store().deleteExpired(20));
		int rest = store().deleteExpired(60);
		assertThat(deleted).allSatisfy((count) -> assertThat(count).isBetween(0, 20));
		assertThat(deleted.stream().mapToInt(Integer::intValue).sum() + rest).isEqualTo(60);
	}

}
