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

package dev.idempotency.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.idempotency.outbox.ReadPosition.Rest;

import static org.assertj.core.api.Assertions.assertThat;

class ReadPositionTests {

	private final ReadPosition position = new ReadPosition();

	private void seen(long... positions) {
		this.position.seen(LongStream.of(positions).mapToObj(ReadPositionTests::event).toList());
	}

	private static ClaimedEvent event(long position) {
		return new ClaimedEvent(position, "id", "destination", null, "type", new byte[0], Instant.EPOCH, Duration.ZERO,
				0);
	}

	/**
	 * A snapshot: the first and the last event, the oldest running transaction and the
	 * next.
	 */
	private void advance(@Nullable Long first, @Nullable Long last, long oldestRunning, long nextTransaction) {
		this.position.advance(new Rest(first, last, Duration.ZERO, oldestRunning, nextTransaction));
	}

	@Test
	void itBeginsAtTheFirstPosition() {
		assertThat(this.position.get()).isZero();
		advance(null, null, 100, 100);
		assertThat(this.position.get()).as("nothing was seen").isLessThanOrEqualTo(1);
	}

	@Test
	void itMovesBehindWhatHasGoneWhenAllHaveEndedWhoCouldHaveAnEarlierPosition() {
		seen(7, 9);
		advance(null, null, 95, 100);
		assertThat(this.position.get()).isLessThanOrEqualTo(1);
		advance(null, null, 99, 105);
		assertThat(this.position.get()).as("99 may have position 8").isLessThanOrEqualTo(1);
		advance(null, null, 100, 106);
		assertThat(this.position.get()).isEqualTo(10);
	}

	@Test
	void itStaysAtAnEventThatIsThere() {
		seen(7, 9);
		advance(7L, 9L, 100, 100);
		advance(7L, 9L, 100, 100);
		assertThat(this.position.get()).isEqualTo(7);
		advance(9L, 9L, 100, 100);
		assertThat(this.position.get()).isEqualTo(9);
	}

	@Test
	void anEventThatBecameVisibleLateIsNotPassed() {
		seen(9);
		advance(null, null, 99, 100);
		advance(8L, 8L, 100, 101);
		assertThat(this.position.get()).isEqualTo(8);
	}

	@Test
	void eventsThatOthersRelayMoveIt() {
		advance(20L, 30L, 100, 100);
		advance(null, null, 100, 100);
		advance(null, null, 100, 100);
		assertThat(this.position.get()).isEqualTo(31);
	}

	@Test
	void aSnapshotSettlesOnlyWhatAnEarlierOneHasShown() {
		seen(5);
		advance(null, 40L, 90, 100);
		advance(null, null, 100, 100);
		assertThat(this.position.get()).isEqualTo(6);
	}

	@Test
	void afterARenewalItBeginsAtTheFirstPosition() {
		seen(9);
		advance(null, null, 100, 100);
		advance(null, null, 100, 100);
		assertThat(this.position.get()).isEqualTo(10);
		this.position.renew();
		assertThat(this.position.get()).isZero();
		advance(null, null, 100, 100);
		assertThat(List.of(0L, 1L)).contains(this.position.get());
	}

}
