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
package dev.idempotency.engine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.engine.ClaimRequest.EffectCommits;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requests whose state is read before a transaction begins.
 */
class LikelyDuplicatesTests {

	private final TestEngine test = new TestEngine();

	private final DuplicateHandler duplicates = this.test.duplicates(ResponseCache.NONE);

	private final ClaimRequest request = request(1);

	@BeforeEach
	void finish() {
		this.test.execute(this.request).finish(TestEngine.answer("paid"));
	}

	@AfterEach
	void close() {
		this.test.close();
	}

	private static ClaimRequest request(int key) {
		return TestEngine.call(key, Mode.TRANSACTIONAL, EffectCommits.ONCE);
	}

	@Test
	void aRequestThatWasSeenIsFound() {
		assertThat(this.duplicates.probeIfSeen(this.request)).as("unknown").isNull();
		assertThat(this.duplicates.probeIfSeen(this.request)).isInstanceOf(StoredRecord.class);
	}

	@Test
	void aRequestThatMayRunIsLeftToTheClaim() {
		ClaimRequest another = request(2);
		this.duplicates.probeIfSeen(another);
		assertThat(this.duplicates.probeIfSeen(another)).isNull();
		ClaimRequest abandoned = TestEngine.call(3, Mode.LEASED, EffectCommits.FREELY);
		this.duplicates.probeIfSeen(abandoned);
		this.test.lease(3);
		assertThat(this.duplicates.probeIfSeen(abandoned)).isInstanceOf(ClaimResult.Held.class);
		this.test.passTime(TestEngine.LEASE.plusSeconds(1));
		assertThat(this.duplicates.probeIfSeen(abandoned)).isNull();
	}

	@Test
	void requestsAreRememberedSideBySide() {
		ClaimRequest another = request(2);
		this.duplicates.probeIfSeen(this.request);
		this.duplicates.probeIfSeen(another);
		assertThat(this.duplicates.probeIfSeen(this.request)).isInstanceOf(StoredRecord.class);
	}

	@Test
	void nothingIsAskedWithinATransaction() {
		this.duplicates.probeIfSeen(this.request);
		assertThat(this.test.<Boolean>inTransaction(() -> this.duplicates.probeIfSeen(this.request) == null)).isTrue();
	}

}
