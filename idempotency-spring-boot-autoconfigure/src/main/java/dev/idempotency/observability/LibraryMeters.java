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

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.TakenOver;

/**
 * The meters of the library in a registry, with their tags.
 */
final class LibraryMeters {

	private final MeterRegistry registry;

	/**
	 * The age at the last check.
	 */
	private volatile Duration oldestEvent = Duration.ZERO;

	LibraryMeters(MeterRegistry registry) {
		this.registry = registry;
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
		return counter(IdempotencyMeter.TAKEN_OVER, operation(takenOver.operation()).and(IdempotencyMeter.BY,
				takenOver.by().name().toLowerCase(Locale.ROOT)));
	}

	Counter notRelayed(RelayFailure reason) {
		return counter(IdempotencyMeter.OUTBOX_FAILED,
				Tags.of(IdempotencyMeter.REASON, reason.name().toLowerCase(Locale.ROOT)));
	}

	Counter storeErrors(StoreFailed failed) {
		return counter(IdempotencyMeter.STORE_ERRORS, operation(failed.operation()).and(IdempotencyMeter.PHASE,
				failed.phase().name().toLowerCase(Locale.ROOT)));
	}

	private Counter counter(IdempotencyMeter meter, Tags tags) {
		return Counter.builder(meter.meterName()).description(meter.description()).tags(tags).register(this.registry);
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

}
