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
package dev.idempotency.autoconfigure.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredRecord;

import static org.assertj.core.api.Assertions.assertThat;

class LocalResponsesTests {

	private static final StoredRecord RECORD = new StoredRecord(new byte[] { 1 },
			new EncodedResponse(201, new byte[] { 2 }), Duration.ofHours(24));

	private static final StoredRecord NEXT = new StoredRecord(new byte[] { 3 },
			new EncodedResponse(201, new byte[] { 4 }), Duration.ofHours(24));

	private Instant wall = Instant.EPOCH;

	private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(30);

	private final LocalResponses answers = new LocalResponses(100, Duration.ofMinutes(5), () -> this.nanos,
			() -> this.wall);

	private static Identity identity(int number) {
		byte[] digest = new byte[32];
		digest[0] = (byte) number;
		return new Identity(digest, new byte[0]);
	}

	private void put(StoredRecord stored, Duration life) {
		this.answers.put(identity(1), stored, this.nanos + life.toNanos());
	}

	private void pass(Duration time) {
		this.nanos += time.toNanos();
		this.wall = this.wall.plus(time);
	}

	@Test
	@Tag("T1")
	void aRecordWhoseLifeEndsWhileTheMachineIsSuspendedIsNotGivenOut() {
		put(RECORD, Duration.ofMinutes(1));
		this.wall = this.wall.plus(Duration.ofMinutes(1).minusNanos(1));
		assertThat(this.answers.find(identity(1))).isSameAs(RECORD);
		this.wall = this.wall.plusNanos(1);
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	@Tag("T1")
	void aClockOnTheWallThatIsSetBackLetsNoRecordLiveLonger() {
		put(RECORD, Duration.ofMinutes(1));
		this.wall = this.wall.minus(Duration.ofHours(1));
		this.nanos += Duration.ofMinutes(1).toNanos();
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	@Tag("T1")
	void aRecordIsGivenOutUntilTheEndOfItsLife() {
		put(RECORD, Duration.ofMinutes(1));
		pass(Duration.ofMinutes(1).minusNanos(1));
		assertThat(this.answers.find(identity(1))).isSameAs(RECORD);
		pass(Duration.ofNanos(1));
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	void aRecordIsGivenOutForAtMostTheMaximumAge() {
		put(RECORD, Duration.ofHours(1));
		pass(Duration.ofMinutes(5).minusNanos(1));
		assertThat(this.answers.find(identity(1))).isSameAs(RECORD);
		pass(Duration.ofNanos(1));
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	@Tag("T1")
	void aRecordThatIsPutAfterTheEndOfItsLifeIsNotKeptAndReplacesNothing() {
		put(NEXT, Duration.ofMinutes(1));
		put(RECORD, Duration.ZERO);
		put(RECORD, Duration.ofSeconds(-1));
		assertThat(this.answers.find(identity(1))).isSameAs(NEXT);
	}

	@Test
	void theLifeOfARecordThatIsPutAgainIsTheNewOne() {
		put(RECORD, Duration.ofMinutes(1));
		put(RECORD, Duration.ofMinutes(2));
		pass(Duration.ofSeconds(90));
		assertThat(this.answers.find(identity(1))).isSameAs(RECORD);
		put(RECORD, Duration.ofSeconds(10));
		pass(Duration.ofSeconds(10));
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	void whatIsEvictedIsGone() {
		put(RECORD, Duration.ofMinutes(1));
		this.answers.evict(identity(1));
		assertThat(this.answers.find(identity(1))).isNull();
		put(RECORD, Duration.ofMinutes(1));
		this.answers.clear();
		assertThat(this.answers.find(identity(1))).isNull();
	}

	@Test
	void anAnswerOverTheMaximumSizeIsNotKept() {
		put(sized(LocalResponses.MAXIMUM_ENTRY_SIZE + 1), Duration.ofMinutes(1));
		assertThat(this.answers.find(identity(1))).isNull();
		put(sized(LocalResponses.MAXIMUM_ENTRY_SIZE), Duration.ofMinutes(1));
		assertThat(this.answers.find(identity(1))).isNotNull();
	}

	private static StoredRecord sized(int bytes) {
		return new StoredRecord(new byte[] { 1 }, new EncodedResponse(201, new byte[bytes]), Duration.ofHours(24));
	}

	@Test
	void itHoldsNoMoreThanItsSize() {
		for (int i = 0; i < 256; i++) {
			this.answers.put(identity(i), RECORD, this.nanos + Duration.ofMinutes(1).toNanos());
		}
		this.answers.nativeCache().cleanUp();
		assertThat(this.answers.nativeCache().estimatedSize()).isLessThanOrEqualTo(100);
	}

}
