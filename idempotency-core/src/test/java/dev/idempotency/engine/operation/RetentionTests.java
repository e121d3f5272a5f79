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
package dev.idempotency.engine.operation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.idempotency.engine.TestEngine;

import static org.assertj.core.api.Assertions.assertThat;

class RetentionTests {

	private static final Duration DAY = Duration.ofDays(1);

	private static EngineSettings settings(@Nullable Duration clientErrorTtl) {
		EngineSettings others = TestEngine.SETTINGS;
		return new EngineSettings(others.maxWait(), clientErrorTtl, others.isolation(), others.retry(), others.lease());
	}

	@ParameterizedTest
	@CsvSource({ "0, P1D", "200, P1D", "303, P1D", "400, PT1H", "499, PT1H", "500, P1D", "599, P1D" })
	void theStatusDecides(int status, Duration expected) {
		assertThat(settings(Duration.ofHours(1)).ttl(status, DAY)).isEqualTo(expected);
	}

	@Test
	void whatIsNotSetIsTheTimeToLive() {
		EngineSettings none = settings(null);
		assertThat(none.ttl(404, DAY)).isEqualTo(DAY);
		assertThat(none.ttl(503, DAY)).isEqualTo(DAY);
	}

	@Test
	void aShorterTimeToLiveOfTheOperationWins() {
		assertThat(settings(Duration.ofHours(1)).ttl(404, Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(5));
	}

}
