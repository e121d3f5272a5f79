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
package dev.idempotency.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("X16")
class DatabaseClockTests {

	private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

	private final Random random = new Random(16);

	/** The time that has passed since the epoch, which both sides measure. */
	private long nanos;

	private int readings;

	private Duration suspended = Duration.ZERO;

	private final DatabaseClock clock = new DatabaseClock(() -> {
		this.readings++;
		this.nanos += this.random.nextInt(10_000_000);
		Instant time = EPOCH.plusNanos(this.nanos);
		this.nanos += this.random.nextInt(10_000_000);
		return time;
	}, () -> this.nanos - 1000, () -> EPOCH.plusNanos(this.nanos).plus(this.suspended));

	@Test
	void translationsAreExactOrEarlyHoweverLongAReadingTakes() {
		for (int i = 0; i < 1000; i++) {
			this.nanos += this.random.nextLong(Duration.ofMinutes(2).toNanos());
			long life = this.random.nextLong(Duration.ofDays(1).toNanos());
			Instant end = EPOCH.plusNanos(this.nanos + life);
			long deadline = this.nanos - 1000 + life;
			assertThat(this.clock.toInstant(deadline)).isBetween(end.minusMillis(10), end);
			assertThat(this.clock.toNanos(end)).isBetween(deadline - 10_000_000, deadline);
		}
	}

	@Test
	void aReadingFromBeforeASuspensionIsNotTrusted() {
		this.clock.toNanos(EPOCH);
		this.suspended = Duration.ofSeconds(2);
		this.clock.toNanos(EPOCH);
		assertThat(this.readings).isEqualTo(2);
		this.suspended = Duration.ofSeconds(-2);
		this.clock.toNanos(EPOCH);
		assertThat(this.readings).isEqualTo(3);
	}

	@Test
	void aReadingIsGoodForAMinute() {
		this.clock.toNanos(EPOCH);
		this.nanos += DatabaseClock.TRUST.minusMillis(20).toNanos();
		this.clock.toInstant(0);
		assertThat(this.readings).isEqualTo(1);
		this.nanos += Duration.ofMillis(21).toNanos();
		this.clock.toInstant(0);
		assertThat(this.readings).isEqualTo(2);
	}

}
