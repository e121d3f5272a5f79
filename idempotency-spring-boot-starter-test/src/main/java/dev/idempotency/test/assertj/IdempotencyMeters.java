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

import java.util.HashMap;
import java.util.Map;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import org.assertj.core.api.AssertProvider;
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
public final class IdempotencyMeters implements AssertProvider<IdempotencyMetersAssert> {

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

	@Override
	public IdempotencyMetersAssert assertThat() {
		return new IdempotencyMetersAssert(this);
	}

	@Override
	public String toString() {
		return "the meters of " + ((this.operation != null) ? this.operation : "all operations");
	}

}
