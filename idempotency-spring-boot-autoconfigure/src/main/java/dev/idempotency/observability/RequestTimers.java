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
package dev.idempotency.observability;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.ReplaySource;

/**
 * The timers of requests, one for each operation, outcome and source. They are kept
 * beside the registry, whose look-up costs more than the measurement; they are as many as
 * in the registry.
 */
final class RequestTimers {

	/**
	 * The source of an answer that is not a replay. All series have the same tags, as
	 * Prometheus requires.
	 */
	private static final String NO_SOURCE = "none";

	private final MeterRegistry registry;

	private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

	RequestTimers(MeterRegistry registry) {
		this.registry = registry;
		registry.config().onMeterRemoved((meter) -> this.timers.values().remove(meter));
	}

	/**
	 * Returns a timer, which it creates if there is none yet.
	 */
	Timer get(String operation, RequestOutcome outcome, @Nullable ReplaySource source) {
		Series series = new Series(operation, outcome, source);
		Timer timer = this.timers.get(series);
		return (timer != null) ? timer : this.timers.computeIfAbsent(series, this::create);
	}

	void record(String operation, RequestOutcome outcome, Duration duration) {
		get(operation, outcome, null).record(duration);
	}

	private Timer create(Series series) {
		String source = (series.source != null) ? series.source.name().toLowerCase(Locale.ROOT) : NO_SOURCE;
		return Timer.builder(IdempotencyMeter.REQUESTS.meterName())
			.description(IdempotencyMeter.REQUESTS.description())
			.tags(IdempotencyMeter.OPERATION, series.operation, IdempotencyMeter.OUTCOME, series.outcome.tag(),
					IdempotencyMeter.SOURCE, source)
			.register(this.registry);
	}

	private record Series(String operation, RequestOutcome outcome, @Nullable ReplaySource source) {
	}

}
