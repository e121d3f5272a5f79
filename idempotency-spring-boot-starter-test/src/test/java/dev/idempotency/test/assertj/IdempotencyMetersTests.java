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
package dev.idempotency.test.assertj;

import java.time.Duration;

import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyMetersTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private void execute(String operation) {
		finish(operation, "executed", "none");
	}

	private void finish(String operation, String outcome, String source) {
		this.registry.timer("idempotency.requests", "operation", operation, "outcome", outcome, "source", source)
			.record(Duration.ofMillis(1));
	}

	@Test
	void whatIsCountedFromNowOnCounts() {
		execute("POST /orders");
		IdempotencyMeters meters = IdempotencyMeters.fromNow(this.registry);
		assertThat(meters).hasExecuted(0);
		execute("POST /orders");
		execute("POST /payments");
		finish("POST /orders", "mismatched", "none");
		finish("POST /orders", "replayed", "database");
		finish("POST /orders", "stuck", "none");
		assertThat(meters).hasExecuted(2)
			.hasReplayed(1)
			.hasMismatched(1)
			.hasInProgress(0)
			.hasReleased(0)
			.has(RequestOutcome.STUCK, 1)
			.has(IdempotencyMeter.REQUESTS, 5)
			.has(IdempotencyMeter.STUCK, 0);
	}

	@Test
	void oneOperationCanBeLookedAtAlone() {
		IdempotencyMeters meters = IdempotencyMeters.fromNow(this.registry, "POST /orders");
		execute("POST /payments");
		assertThat(meters).hasExecuted(0);
		execute("POST /orders");
		assertThat(meters).hasExecuted(1);
	}

	@Test
	void anotherCountFailsTheTestAndShowsAll() {
		IdempotencyMeters meters = IdempotencyMeters.fromNow(this.registry, "POST /orders");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(meters).hasReplayed(1))
			.withMessageContaining("the meters of POST /orders to have 1 of replayed")
			.withMessageContaining("none");
		execute("POST /orders");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(meters).hasExecuted(2))
			.withMessageContaining("1 executed");
	}

}
