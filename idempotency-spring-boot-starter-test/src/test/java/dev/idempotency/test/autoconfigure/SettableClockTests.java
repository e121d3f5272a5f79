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
package dev.idempotency.test.autoconfigure;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link SettableClock}.
 */
class SettableClockTests {

	private final SettableClock clock = new SettableClock();

	@Test
	void timePasses() {
		Instant before = this.clock.instant();
		this.clock.pass(Duration.ofDays(1));
		assertThat(this.clock.instant()).isAfterOrEqualTo(before.plus(Duration.ofDays(1)));
	}

	@Test
	void timeDoesNotGoBack() {
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.clock.pass(Duration.ofSeconds(-1)))
			.withMessageContaining("must not be negative");
	}

}
