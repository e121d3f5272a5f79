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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PulseTests {

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

	private final Pulse pulse = new Pulse(this.clock::get);

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void threeIntervalsMayBeSilent() {
		this.pulse.beat();
		pass(Duration.ofMinutes(6));
		assertThat(this.pulse.isRegular(Duration.ofMinutes(2))).isTrue();
		pass(Duration.ofNanos(1));
		assertThat(this.pulse.isRegular(Duration.ofMinutes(2))).isFalse();
		this.pulse.beat();
		assertThat(this.pulse.isRegular(Duration.ofMinutes(2))).isTrue();
	}

	@Test
	void aMinuteMayBeSilentHoweverShortTheInterval() {
		this.pulse.beat();
		pass(Duration.ofMinutes(1));
		assertThat(this.pulse.isRegular(Duration.ofMillis(1))).isTrue();
		pass(Duration.ofNanos(1));
		assertThat(this.pulse.isRegular(Duration.ofMillis(1))).isFalse();
	}

	@Test
	void theTimeBeforeTheFirstBeatCountsFromTheStart() {
		pass(Duration.ofHours(1));
		assertThat(this.pulse.isRegular(Duration.ofMinutes(1))).isFalse();
		this.pulse.start();
		assertThat(this.pulse.isRegular(Duration.ofMinutes(1))).isTrue();
		assertThat(this.pulse.lastBeat()).isNull();
		this.pulse.beat();
		assertThat(this.pulse.lastBeat()).isNotNull();
	}

}
