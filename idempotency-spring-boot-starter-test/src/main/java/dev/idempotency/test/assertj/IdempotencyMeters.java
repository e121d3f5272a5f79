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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import org.assertj.core.api.AssertDelegateTarget;
import org.jspecify.annotations.Nullable;

import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;

/**
 * The library's meters in a registry, counted from the creation of this object, for tests
 * that share an application:
 *
 * <pre>
 * IdempotencyMeters meters = IdempotencyMeters.fromNow(registry);
 * // send twice
 * assertThat(meters).hasExecuted(1).hasReplayed(1);
 * </pre>
 */
public final class IdempotencyMeters implements AssertDelegateTarget {

	private final MeterRegistry registry;

	private final @Nullable String operation;

	private final Map<Enum<?>, Long> before = new HashMap<>();

	private IdempotencyMeters(MeterRegistry registry, @Nullable String operation) {
		this.registry = registry;
		this.operation = operation;
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			this.before.put(meter, total(meter, null));
		}
		for (RequestOutcome outcome : RequestOutcome.values()) {
			this.before.put(outcome, total(IdempotencyMeter.REQUESTS, outcome));
		}
	}

	/**
	 * The meters of all operations, counted from now on.
	 * @param registry their registry
	 * @return the meters
	 */
	public static IdempotencyMeters fromNow(MeterRegistry registry) {
		return new IdempotencyMeters(registry, null);
	}

	/**
	 * The meters of one operation, counted from now on.
	 * @param registry their registry
	 * @param operation the operation's name, such as {@code POST /payments}
	 * @return the meters
	 */
	public static IdempotencyMeters fromNow(MeterRegistry registry, String operation) {
		return new IdempotencyMeters(registry, operation);
	}

	/**
	 * Returns the count of a meter.
	 * @param meter the meter
	 * @return the count
	 */
	public long count(IdempotencyMeter meter) {
		return total(meter, null) - this.before.getOrDefault(meter, 0L);
	}

	/**
	 * Returns the number of requests with an outcome.
	 * @param outcome the outcome
	 * @return the number
	 */
	public long count(RequestOutcome outcome) {
		return total(IdempotencyMeter.REQUESTS, outcome) - this.before.getOrDefault(outcome, 0L);
	}

	private long total(IdempotencyMeter meter, @Nullable RequestOutcome outcome) {
		double total = 0;
		for (Meter found : this.registry.find(meter.meterName()).meters()) {
			if ((this.operation == null || this.operation.equals(found.getId().getTag("operation")))
					&& (outcome == null || outcome.tag().equals(found.getId().getTag("outcome")))) {
				total += count(found);
			}
		}
		return (long) total;
	}

	private static double count(Meter meter) {
		double count = 0;
		for (var measurement : meter.measure()) {
			count += (measurement.getStatistic() == Statistic.COUNT) ? measurement.getValue() : 0;
		}
		return count;
	}

	/**
	 * Requires a number of executions whose response was stored.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters hasExecuted(long count) {
		return has(RequestOutcome.EXECUTED, count);
	}

	/**
	 * Requires a number of replays.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters hasReplayed(long count) {
		return has(RequestOutcome.REPLAYED, count);
	}

	/**
	 * Requires a number of keys that were reused for another request.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters hasMismatched(long count) {
		return has(RequestOutcome.MISMATCHED, count);
	}

	/**
	 * Requires a number of duplicates that were refused because the first delivery was
	 * still running.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters hasInProgress(long count) {
		return has(RequestOutcome.IN_PROGRESS, count);
	}

	/**
	 * Requires a number of executions without a final response.
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters hasReleased(long count) {
		return has(RequestOutcome.RELEASED, count);
	}

	/**
	 * Requires a number of requests with an outcome.
	 * @param outcome the outcome
	 * @param count the number
	 * @return this
	 */
	public IdempotencyMeters has(RequestOutcome outcome, long count) {
		if (count(outcome) != count) {
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
	public IdempotencyMeters has(IdempotencyMeter meter, long count) {
		if (count(meter) != count) {
			throw unexpected(count, meter.meterName());
		}
		return this;
	}

	private AssertionError unexpected(long count, String name) {
		return new AssertionError(String.format("Expected %s to have %d of %s, but there were:%n  %s", this, count,
				name, String.join(System.lineSeparator() + "  ", counted())));
	}

	private List<String> counted() {
		List<String> lines = new ArrayList<>();
		for (RequestOutcome outcome : RequestOutcome.values()) {
			add(lines, count(outcome), outcome.tag());
		}
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			if (meter != IdempotencyMeter.REQUESTS) {
				add(lines, count(meter), meter.meterName());
			}
		}
		return lines.isEmpty() ? List.of("none") : lines;
	}

	private static void add(List<String> lines, long count, String name) {
		if (count != 0) {
			lines.add(count + " " + name);
		}
	}

	@Override
	public String toString() {
		return "the meters of " + ((this.operation != null) ? this.operation : "all operations");
	}

}
