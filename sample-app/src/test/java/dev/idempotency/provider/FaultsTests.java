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
package dev.idempotency.provider;

import java.time.Duration;

import dev.idempotency.provider.Faults.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The selection of failing requests, and their failures.
 */
class FaultsTests {

	@ParameterizedTest
	@CsvSource({ "0.0, UNAVAILABLE", "0.2499, UNAVAILABLE", "0.25, FAIL_AFTER_CHARGE", "0.4999, FAIL_AFTER_CHARGE",
			"0.5, NONE", "0.9999, NONE" })
	void theFailureRateIsSharedEvenlyBetweenBeforeAndAfter(double dice, Mode expected) {
		assertThat(new Faults(Mode.NONE, 0.5, Duration.ZERO).decide(dice)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0.0", "0, 0.9999" })
	void aRateOfNothingFailsNothing(double rate, double dice) {
		assertThat(new Faults(Mode.NONE, rate, Duration.ZERO).decide(dice)).isEqualTo(Mode.NONE);
	}

	@Test
	void aRateOfOneFailsEverything() {
		assertThat(new Faults(Mode.NONE, 1, Duration.ZERO).decide(Math.nextDown(1.0)))
			.isEqualTo(Mode.FAIL_AFTER_CHARGE);
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void aModeIsForEveryRequest(Mode mode) {
		assertThat(new Faults(mode, 0.5, Duration.ZERO).decide(0.1)).isEqualTo(mode);
		assertThat(new Faults(mode, 0.5, Duration.ZERO).decide(0.9)).isEqualTo(mode);
	}

}
