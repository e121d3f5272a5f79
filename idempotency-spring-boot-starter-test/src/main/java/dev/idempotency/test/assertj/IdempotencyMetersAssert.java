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

import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.AbstractAssert;

import dev.idempotency.observability.IdempotencyMeter;

/**
 * Assertions on what was counted.
 */
public final class IdempotencyMetersAssert extends AbstractAssert<IdempotencyMetersAssert, IdempotencyMeters> {

	IdempotencyMetersAssert(IdempotencyMeters actual) {
		super(actual, IdempotencyMetersAssert.class);
	}

	/**
	 * Requires a number of executions whose answer was stored.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasExecuted(long count) {
		return has(IdempotencyMeter.EXECUTED, count);
	}

	/**
	 * Requires a number of replays.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasReplayed(long count) {
		return has(IdempotencyMeter.REPLAYED, count);
	}

	/**
	 * Requires a number of keys that came with another request.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasMismatched(long count) {
		return has(IdempotencyMeter.MISMATCHED, count);
	}

	/**
	 * Requires a number of duplicates that were refused because the first delivery was
	 * still running.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasInProgress(long count) {
		return has(IdempotencyMeter.IN_PROGRESS, count);
	}

	/**
	 * Requires a number of executions without a final answer.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasReleased(long count) {
		return has(IdempotencyMeter.RELEASED, count);
	}

	/**
	 * Requires a number of any meter.
	 * @param meter the meter
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert has(IdempotencyMeter meter, long count) {
		if (this.actual.count(meter) != count) {
			throw failure("Expected %s to have %d of %s, and there were:%n  %s", this.actual, count, meter.meterName(),
					String.join(System.lineSeparator() + "  ", counted()));
		}
		return this;
	}

	private List<String> counted() {
		List<String> lines = new ArrayList<>();
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			if (this.actual.count(meter) != 0) {
				lines.add(this.actual.count(meter) + " " + meter.meterName());
			}
		}
		return lines.isEmpty() ? List.of("none at all") : lines;
	}

}
