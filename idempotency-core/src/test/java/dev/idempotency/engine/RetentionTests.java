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

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.OperationFactory.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

class RetentionTests {

	private static final Duration DAY = Duration.ofDays(1);

	private static IdempotentOperation operation(Duration ttl, @Nullable Duration clientErrorTtl) {
		Defaults defaults = new Defaults(Scope.ACCOUNT, Mode.TRANSACTIONAL, true, DAY, clientErrorTtl);
		return new IdempotentOperation("pay", null, defaults.scope(), "", ttl, defaults.clientErrorTtl(ttl),
				defaults.required(), defaults.mode(), Replay.FULL);
	}

	@ParameterizedTest
	@CsvSource({ "0, P1D", "200, P1D", "303, P1D", "400, PT1H", "499, PT1H", "500, P1D", "599, P1D" })
	void theStatusDecides(int status, Duration expected) {
		assertThat(operation(DAY, Duration.ofHours(1)).ttl(status)).isEqualTo(expected);
	}

	@Test
	void whatIsNotSetIsTheTimeToLive() {
		IdempotentOperation none = operation(DAY, null);
		assertThat(none.ttl(404)).isEqualTo(DAY);
		assertThat(none.ttl(503)).isEqualTo(DAY);
	}

	@Test
	void aShorterTimeToLiveOfTheOperationWins() {
		assertThat(operation(Duration.ofMinutes(5), Duration.ofHours(1)).ttl(404)).isEqualTo(Duration.ofMinutes(5));
	}

}
