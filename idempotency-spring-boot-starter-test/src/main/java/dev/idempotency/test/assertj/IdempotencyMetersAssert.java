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
import dev.idempotency.observability.RequestOutcome;

/**
 * Assertions on the counts of meters.
 */
public final class IdempotencyMetersAssert extends AbstractAssert<IdempotencyMetersAssert, IdempotencyMeters> {

	IdempotencyMetersAssert(IdempotencyMeters actual) {
		super(actual, IdempotencyMetersAssert.class);
	}

	/**
	 * Requires a number of executions whose response was stored.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasExecuted(long count) {
		return has(RequestOutcome.EXECUTED, count);
	}

	/**
	 * Requires a number of replays.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasReplayed(long count) {
		return has(RequestOutcome.REPLAYED, count);
	}

	/**
	 * Requires a number of keys that were reused for another request.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasMismatched(long count) {
		return has(RequestOutcome.MISMATCHED, count);
	}

	/**
	 * Requires a number of duplicates that were refused because the first delivery was
	 * still running.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasInProgress(long count) {
		return has(RequestOutcome.IN_PROGRESS, count);
	}

	/**
	 * Requires a number of executions without a final response.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert hasReleased(long count) {
		return has(RequestOutcome.RELEASED, count);
	}

	/**
	 * Requires a number of requests with an outcome.
	 * @param outcome the outcome
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert has(RequestOutcome outcome, long count) {
		if (this.actual.count(outcome) != count) {
			throw unexpected(count, outcome.tag());
		}
		return this;
	}

	/**
	 * Requires a number of any meter.
	 * @param meter the meter
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMetersAssert has(IdempotencyMeter meter, long count) {
		if (this.actual.count(meter) != count) {
			throw unexpected(count, meter.meterName());
		}
		return this;
	}

	private AssertionError unexpected(long count, String name) {
		return failure("Expected %s to have %d of %s, but there were:%n  %s", this.actual, count, name,
				String.join(System.lineSeparator() + "  ", counted()));
	}

	private List<String> counted() {
		List<String> lines = new ArrayList<>();
		for (RequestOutcome outcome : RequestOutcome.values()) {
			add(lines, this.actual.count(outcome), outcome.tag());
		}
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			if (meter != IdempotencyMeter.REQUESTS) {
				add(lines, this.actual.count(meter), meter.meterName());
			}
		}
		return lines.isEmpty() ? List.of("none") : lines;
	}

	private static void add(List<String> lines, long count, String name) {
		if (count != 0) {
			lines.add(count + " " + name);
		}
	}

}
