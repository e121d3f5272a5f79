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
package dev.idempotency.observation;

import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.UnknownStepException;
import dev.idempotency.observation.IdempotencyObservation.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outcomes of requests and phases that fail.
 */
class OutcomeTests {

	@Test
	void aRequestWithAnUnknownStepIsNoOtherInterruptedOne() {
		assertThat(Outcome.of(new RequestInterruptedException(Duration.ofSeconds(1), null)))
			.isEqualTo(Outcome.INTERRUPTED);
		assertThat(Outcome.of(new UnknownStepException(Duration.ofSeconds(1), Set.of("charge"))))
			.isEqualTo(Outcome.UNKNOWN_STEP);
	}

	@Test
	void aLostLeaseIsFoundInItsFailure() {
		assertThat(Outcome.of(new StoreUnavailableException(Duration.ofSeconds(1), new LeaseLostException())))
			.isEqualTo(Outcome.LEASE_LOST);
		assertThat(Outcome.of(new IllegalStateException(new LeaseLostException()))).isEqualTo(Outcome.LEASE_LOST);
	}

}
