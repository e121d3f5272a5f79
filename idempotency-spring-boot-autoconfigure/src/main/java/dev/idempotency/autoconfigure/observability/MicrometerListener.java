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
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.EventRelayed;
import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.JobDied;
import dev.idempotency.IdempotencyNotification.JobFailed;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.IdempotencyNotification.Refusal;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;

/**
 * Counts and times notifications in the meters of {@link IdempotencyMeter}. A meter is
 * created with its first notification, or in advance: a rate over a counter that appears
 * with an event misses that event.
 */
public final class MicrometerListener implements IdempotencyListener {

	/**
	 * The source of a response that is not a replay. All series have the same tags, as
	 * Prometheus requires.
	 */
	private static final String NO_SOURCE = "none";

	private final MeterRegistry registry;

	/**
	 * The timers of requests by outcome, of replays by source, and by operation. The
	 * registry's own look-up costs more than the measurement.
	 */
	private final Map<Enum<?>, Map<String, Timer>> requests = new HashMap<>();

	/**
	 * The age of the oldest event at the last check.
	 */
	private volatile Duration oldestEvent = Duration.ZERO;

	/**
	 * Creates a listener.
	 * @param registry the registry of the meters
	 */
	public MicrometerListener(MeterRegistry registry) {
		this.registry = registry;
		Stream.<Enum<?>>concat(Stream.of(RequestOutcome.values()), Stream.of(ReplaySource.values()))
			.forEach((series) -> this.requests.put(series, new ConcurrentHashMap<>()));
		registry.config()
			.onMeterRemoved((meter) -> this.requests.values().forEach((timers) -> timers.values().remove(meter)));
	}

	@Override
	public void onNotification(IdempotencyNotification notification) {
		if (notification instanceof Executed executed) {
			requests(executed.operation(), RequestOutcome.EXECUTED, null).record(executed.duration());
		}
		else if (notification instanceof Replayed replayed) {
			requests(replayed.operation(), RequestOutcome.REPLAYED, replayed.source()).record(replayed.duration());
		}
		else if (notification instanceof Refused refused) {
			requests(refused.operation(), outcome(refused.refusal()), null).record(refused.duration());
		}
		else if (notification instanceof Released released) {
			requests(released.operation(), RequestOutcome.RELEASED, null).record(released.duration());
		}
		else if (notification instanceof Interrupted interrupted) {
			requests(interrupted.operation(), RequestOutcome.INTERRUPTED, null).record(interrupted.duration());
		}
		else if (notification instanceof TakenOver takenOver) {
			takenOver(takenOver).increment();
		}
		else if (notification instanceof UnknownStep unknown) {
			counter(IdempotencyMeter.UNKNOWN_STEPS, unknown.operation()).increment();
		}
		else if (notification instanceof Stuck stuck) {
			counter(IdempotencyMeter.STUCK, stuck.operation()).increment();
		}
		else if (notification instanceof Expired expired) {
			counter(IdempotencyMeter.EXPIRED).increment(expired.records());
		}
		else if (notification instanceof JobFailed failed) {
			counter(IdempotencyMeter.JOB_FAILED, failed.operation()).increment();
		}
		else if (notification instanceof JobDied died) {
			counter(IdempotencyMeter.JOB_DEAD, died.operation()).increment();
		}
		else if (notification instanceof EventRelayed relayed) {
			timer(IdempotencyMeter.OUTBOX_RELAYED).record(relayed.delay());
		}
		else if (notification instanceof EventNotRelayed failed) {
			notRelayed(failed.reason()).increment();
		}
		else if (notification instanceof OutboxChecked checked) {
			this.oldestEvent = checked.oldest();
			registerOldestEvent();
		}
		else if (notification instanceof StoreFailed failed) {
			storeErrors(failed).increment();
		}
	}

	private static RequestOutcome outcome(Refusal refusal) {
		return switch (refusal) {
			case MISMATCHED -> RequestOutcome.MISMATCHED;
			case IN_PROGRESS -> RequestOutcome.IN_PROGRESS;
			case STUCK -> RequestOutcome.STUCK;
			case LIMITED -> RequestOutcome.LIMITED;
			case NOT_REPLAYABLE -> RequestOutcome.NOT_REPLAYABLE;
		};
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
				requests(operation, outcome, null);
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
	private Timer requests(String operation, RequestOutcome outcome, @Nullable ReplaySource source) {
		Map<String, Timer> timers = Objects.requireNonNull(this.requests.get((source != null) ? source : outcome));
		Timer timer = timers.get(operation);
		return (timer != null) ? timer : timers.computeIfAbsent(operation, (name) -> timer(IdempotencyMeter.REQUESTS,
				name, outcome.tag(), (source != null) ? lower(source) : NO_SOURCE));
	}

	private Timer timer(IdempotencyMeter meter, String... tags) {
		return Timer.builder(meter.meterName())
			.description(meter.description())
			.tags(tags(meter, tags))
			.register(this.registry);
	}

	private Counter counter(IdempotencyMeter meter, String... tags) {
		return Counter.builder(meter.meterName())
			.description(meter.description())
			.tags(tags(meter, tags))
			.register(this.registry);
	}

	private Counter takenOver(TakenOver takenOver) {
		return counter(IdempotencyMeter.TAKEN_OVER, takenOver.operation(), lower(takenOver.by()));
	}

	private Counter notRelayed(RelayFailure reason) {
		return counter(IdempotencyMeter.OUTBOX_FAILED, lower(reason));
	}

	private Counter storeErrors(StoreFailed failed) {
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

}
