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

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.TakenOver;

/**
 * The meters of the library in a registry, with their tags.
 */
final class LibraryMeters {

	/**
	 * The source of an answer that is not a replay. All series have the same tags, as
	 * Prometheus requires.
	 */
	private static final String NO_SOURCE = "none";

	private final MeterRegistry registry;

	/**
	 * The timers of requests in the registry, whose own look-up costs more than the
	 * measurement.
	 */
	private final Map<Requests, Timer> requests = new ConcurrentHashMap<>();

	/**
	 * The age of the oldest event at the last check.
	 */
	private volatile Duration oldestEvent = Duration.ZERO;

	LibraryMeters(MeterRegistry registry) {
		this.registry = registry;
		registry.config().onMeterRemoved((meter) -> this.requests.values().remove(meter));
	}

	/**
	 * Returns a timer of requests, which it creates if there is none yet.
	 */
	Timer requests(String operation, RequestOutcome outcome, @Nullable ReplaySource source) {
		Requests requests = new Requests(operation, outcome, source);
		Timer timer = this.requests.get(requests);
		return (timer != null) ? timer : this.requests.computeIfAbsent(requests, this::create);
	}

	Timer requests(String operation, RequestOutcome outcome) {
		return requests(operation, outcome, null);
	}

	private Timer create(Requests requests) {
		String source = (requests.source != null) ? lower(requests.source) : NO_SOURCE;
		return Timer.builder(IdempotencyMeter.REQUESTS.meterName())
			.description(IdempotencyMeter.REQUESTS.description())
			.tags(operation(requests.operation).and(IdempotencyMeter.OUTCOME, requests.outcome.tag(),
					IdempotencyMeter.SOURCE, source))
			.register(this.registry);
	}

	Timer timer(IdempotencyMeter meter) {
		return Timer.builder(meter.meterName()).description(meter.description()).register(this.registry);
	}

	Counter counter(IdempotencyMeter meter) {
		return counter(meter, Tags.empty());
	}

	Counter counter(IdempotencyMeter meter, String operation) {
		return counter(meter, operation(operation));
	}

	Counter takenOver(TakenOver takenOver) {
		return counter(IdempotencyMeter.TAKEN_OVER,
				operation(takenOver.operation()).and(IdempotencyMeter.BY, lower(takenOver.by())));
	}

	Counter notRelayed(RelayFailure reason) {
		return counter(IdempotencyMeter.OUTBOX_FAILED, Tags.of(IdempotencyMeter.REASON, lower(reason)));
	}

	Counter storeErrors(StoreFailed failed) {
		return counter(IdempotencyMeter.STORE_ERRORS,
				operation(failed.operation()).and(IdempotencyMeter.PHASE, lower(failed.phase())));
	}

	private Counter counter(IdempotencyMeter meter, Tags tags) {
		return Counter.builder(meter.meterName()).description(meter.description()).tags(tags).register(this.registry);
	}

	private static String lower(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	private static Tags operation(String operation) {
		return Tags.of(IdempotencyMeter.OPERATION, operation);
	}

	void oldestEvent(Duration age) {
		this.oldestEvent = age;
		registerOldestEvent();
	}

	/**
	 * Micrometer warns of a gauge that is registered a second time.
	 */
	synchronized void registerOldestEvent() {
		if (this.registry.find(IdempotencyMeter.OUTBOX_OLDEST.meterName()).gauge() != null) {
			return;
		}
		Gauge.builder(IdempotencyMeter.OUTBOX_OLDEST.meterName(), () -> this.oldestEvent.toNanos() / 1e9)
			.description(IdempotencyMeter.OUTBOX_OLDEST.description())
			.baseUnit("seconds")
			.register(this.registry);
	}

	private record Requests(String operation, RequestOutcome outcome, @Nullable ReplaySource source) {
	}

}
