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
package dev.idempotency.autoconfigure.observability;

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

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;

/**
 * The meters of the library in a registry. A meter is created with its first event, or in
 * advance: a rate over a counter that appears with an event misses that event.
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
	 * Creates the meters of an operation.
	 * @param operation the operation's name
	 * @param mode its mode, which limits the possible events
	 * @param cached whether this node replays answers from its memory
	 */
	void register(String operation, Mode mode, boolean cached) {
		boolean leased = mode == Mode.LEASED;
		for (RequestOutcome outcome : RequestOutcome.values()) {
			boolean possible = switch (outcome) {
				case EXECUTED, RELEASED, MISMATCHED, IN_PROGRESS, NOT_REPLAYABLE -> true;
				case INTERRUPTED, STUCK, LIMITED -> leased;
				case REPLAYED -> false;
			};
			if (possible) {
				requests(operation, outcome);
			}
		}
		requests(operation, RequestOutcome.REPLAYED, ReplaySource.DATABASE);
		if (cached) {
			requests(operation, RequestOutcome.REPLAYED, ReplaySource.LOCAL);
		}
		for (StorePhase phase : StorePhase.values()) {
			boolean possible = switch (phase) {
				case CLAIM, FINISH, RESOLVE -> true;
				case PHASE -> leased;
				case EXTEND, COMPLETE, REAP -> false;
			};
			if (possible) {
				storeErrors(new StoreFailed(operation, phase));
			}
		}
		if (leased) {
			counter(IdempotencyMeter.UNKNOWN_STEPS, operation);
			counter(IdempotencyMeter.STUCK, operation);
			for (Claimant claimant : Claimant.values()) {
				takenOver(new TakenOver(operation, claimant));
			}
		}
	}

	/**
	 * Creates the meters of a job type.
	 * @param operation the name of the operation that executes its jobs
	 * @param cached whether this node replays answers from its memory
	 */
	void registerJob(String operation, boolean cached) {
		register(operation, Mode.TRANSACTIONAL, cached);
		counter(IdempotencyMeter.JOB_FAILED, operation);
		counter(IdempotencyMeter.JOB_DEAD, operation);
	}

	void registerReaper() {
		counter(IdempotencyMeter.EXPIRED);
		storeErrors(StoreFailed.reaping());
	}

	/**
	 * Creates the meters of leases.
	 * @param completed whether this node completes abandoned requests
	 */
	void registerLeases(boolean completed) {
		storeErrors(StoreFailed.extending());
		if (completed) {
			storeErrors(StoreFailed.completing());
		}
	}

	void registerOutbox() {
		timer(IdempotencyMeter.OUTBOX_RELAYED);
		for (RelayFailure reason : RelayFailure.values()) {
			notRelayed(reason);
		}
		registerOldestEvent();
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
		return timer(IdempotencyMeter.REQUESTS, requests.operation, requests.outcome.tag(),
				(requests.source != null) ? lower(requests.source) : NO_SOURCE);
	}

	Timer timer(IdempotencyMeter meter, String... tags) {
		return Timer.builder(meter.meterName())
			.description(meter.description())
			.tags(tags(meter, tags))
			.register(this.registry);
	}

	Counter counter(IdempotencyMeter meter, String... tags) {
		return Counter.builder(meter.meterName())
			.description(meter.description())
			.tags(tags(meter, tags))
			.register(this.registry);
	}

	Counter takenOver(TakenOver takenOver) {
		return counter(IdempotencyMeter.TAKEN_OVER, takenOver.operation(), lower(takenOver.by()));
	}

	Counter notRelayed(RelayFailure reason) {
		return counter(IdempotencyMeter.OUTBOX_FAILED, lower(reason));
	}

	Counter storeErrors(StoreFailed failed) {
		return counter(IdempotencyMeter.STORE_ERRORS, failed.operation(), lower(failed.phase()));
	}

	/**
	 * Returns the tags of a meter, whose values are in the order of their keys.
	 */
	private static Tags tags(IdempotencyMeter meter, String... values) {
		Tags tags = Tags.empty();
		for (int i = 0; i < values.length; i++) {
			tags = tags.and(meter.tags().get(i), values[i]);
		}
		return tags;
	}

	private static String lower(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	void oldestEvent(Duration age) {
		this.oldestEvent = age;
		registerOldestEvent();
	}

	/**
	 * Micrometer warns of a gauge that is registered a second time.
	 */
	private synchronized void registerOldestEvent() {
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
