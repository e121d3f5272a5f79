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
import java.util.Set;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.idempotency.IdempotencyNotification.Claimant;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.EventRelayed;
import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.JobDied;
import dev.idempotency.IdempotencyNotification.JobFailed;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.ReplaySource;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.Refused;
import dev.idempotency.IdempotencyListener;
import dev.idempotency.Idempotent.Mode;

/**
 * Counts and times what happens, in the meters of {@link IdempotencyMeter}.
 */
public final class MicrometerListener implements IdempotencyListener {

	private final MeterRegistry registry;

	private final RequestTimers requests;

	/**
	 * The age at the last check.
	 */
	private volatile Duration oldestEvent = Duration.ZERO;

	/**
	 * Creates a listener. It registers a meter at the first event of its kind, and those
	 * of {@code register} in advance.
	 * @param registry the registry of the meters
	 */
	public MicrometerListener(MeterRegistry registry) {
		this.registry = registry;
		this.requests = new RequestTimers(registry);
	}

	/**
	 * Creates the meters of features before anything happens, those that belong to no
	 * operation.
	 * @param features the features that are in use
	 */
	public void register(Set<MeteredFeature> features) {
		for (MeteredFeature feature : features) {
			switch (feature) {
				case REAPER -> {
					counter(IdempotencyMeter.EXPIRED, Tags.empty());
					counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.reaping()));
				}
				case COMPLETER -> counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.completing()));
				case LEASES -> counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.extending()));
				case OUTBOX -> registerOutbox();
				case LOCAL_CACHE -> {
					// Its replays are those of an operation.
				}
			}
		}
	}

	private void registerOutbox() {
		timer(IdempotencyMeter.OUTBOX_RELAYED, Tags.empty());
		for (RelayFailure reason : RelayFailure.values()) {
			counter(IdempotencyMeter.OUTBOX_FAILED, reason(reason));
		}
		oldestEvent();
	}

	/**
	 * Micrometer warns of a gauge that is registered a second time.
	 */
	private synchronized void oldestEvent() {
		if (this.registry.find(IdempotencyMeter.OUTBOX_OLDEST.meterName()).gauge() != null) {
			return;
		}
		Gauge.builder(IdempotencyMeter.OUTBOX_OLDEST.meterName(), () -> this.oldestEvent.toNanos() / 1e9)
			.description(IdempotencyMeter.OUTBOX_OLDEST.description())
			.baseUnit("seconds")
			.register(this.registry);
	}

	/**
	 * Creates the meters of an operation before anything happens to it: a rate over a
	 * counter that appears with its first event misses that event.
	 * @param operation the operation's name
	 * @param mode its mode, which decides what can happen to it
	 * @param features the features that are in use
	 */
	public void register(String operation, Mode mode, Set<MeteredFeature> features) {
		for (RequestOutcome outcome : RequestOutcome.values()) {
			switch (outcome) {
				case EXECUTED, RELEASED, MISMATCHED, IN_PROGRESS, NOT_REPLAYABLE ->
					this.requests.get(operation, outcome, null);
				case INTERRUPTED, STUCK, LIMITED -> {
					if (mode == Mode.LEASED) {
						this.requests.get(operation, outcome, null);
					}
				}
				case REPLAYED -> registerReplays(operation, features);
			}
		}
		registerStoreErrors(operation, mode);
		if (mode == Mode.LEASED) {
			registerLeased(operation, operation(operation));
		}
	}

	private void registerLeased(String operation, Tags tags) {
		counter(IdempotencyMeter.UNKNOWN_STEPS, tags);
		counter(IdempotencyMeter.STUCK, tags);
		for (Claimant claimant : Claimant.values()) {
			counter(IdempotencyMeter.TAKEN_OVER, by(new TakenOver(operation, claimant)));
		}
	}

	/**
	 * Creates the meters of a job type before anything happens to its jobs.
	 * @param operation the name of the operation that executes them
	 * @param features the features that are in use
	 */
	public void registerJob(String operation, Set<MeteredFeature> features) {
		register(operation, Mode.TRANSACTIONAL, features);
		counter(IdempotencyMeter.JOB_FAILED, operation(operation));
		counter(IdempotencyMeter.JOB_DEAD, operation(operation));
	}

	private void registerReplays(String operation, Set<MeteredFeature> features) {
		for (ReplaySource source : ReplaySource.values()) {
			boolean used = switch (source) {
				case DATABASE -> true;
				case LOCAL -> features.contains(MeteredFeature.LOCAL_CACHE);
			};
			if (used) {
				this.requests.get(operation, RequestOutcome.REPLAYED, source);
			}
		}
	}

	private void registerStoreErrors(String operation, Mode mode) {
		for (StorePhase phase : StorePhase.values()) {
			switch (phase) {
				case CLAIM, FINISH, RESOLVE ->
					counter(IdempotencyMeter.STORE_ERRORS, phase(new StoreFailed(operation, phase)));
				case PHASE -> {
					if (mode == Mode.LEASED) {
						counter(IdempotencyMeter.STORE_ERRORS, phase(new StoreFailed(operation, phase)));
					}
				}
				case EXTEND, COMPLETE, REAP -> {
					// Of the node, not of an operation.
				}
			}
		}
	}

	@Override
	public void onNotification(IdempotencyNotification notification) {
		if (notification instanceof Executed executed) {
			this.requests.record(executed.operation(), RequestOutcome.EXECUTED, executed.duration());
		}
		else if (notification instanceof Replayed replayed) {
			this.requests.get(replayed.operation(), RequestOutcome.REPLAYED, replayed.source())
				.record(replayed.duration());
		}
		else if (notification instanceof Refused refused) {
			this.requests.record(refused.operation(), RequestOutcome.of(refused.refusal()), refused.duration());
		}
		else if (notification instanceof Released released) {
			this.requests.record(released.operation(), RequestOutcome.RELEASED, released.duration());
		}
		else if (notification instanceof Interrupted interrupted) {
			this.requests.record(interrupted.operation(), RequestOutcome.INTERRUPTED, interrupted.duration());
		}
		else if (notification instanceof TakenOver takenOver) {
			counter(IdempotencyMeter.TAKEN_OVER, by(takenOver)).increment();
		}
		else if (notification instanceof UnknownStep unknown) {
			counter(IdempotencyMeter.UNKNOWN_STEPS, operation(unknown.operation())).increment();
		}
		else if (notification instanceof Stuck stuck) {
			counter(IdempotencyMeter.STUCK, operation(stuck.operation())).increment();
		}
		else if (notification instanceof Expired expired) {
			counter(IdempotencyMeter.EXPIRED, Tags.empty()).increment(expired.records());
		}
		else if (notification instanceof JobFailed failed) {
			counter(IdempotencyMeter.JOB_FAILED, operation(failed.operation())).increment();
		}
		else if (notification instanceof JobDied died) {
			counter(IdempotencyMeter.JOB_DEAD, operation(died.operation())).increment();
		}
		else if (notification instanceof EventRelayed relayed) {
			timer(IdempotencyMeter.OUTBOX_RELAYED, Tags.empty()).record(relayed.delay());
		}
		else if (notification instanceof EventNotRelayed failed) {
			counter(IdempotencyMeter.OUTBOX_FAILED, reason(failed.reason())).increment();
		}
		else if (notification instanceof OutboxChecked checked) {
			this.oldestEvent = checked.oldest();
			oldestEvent();
		}
		else if (notification instanceof StoreFailed failed) {
			counter(IdempotencyMeter.STORE_ERRORS, phase(failed)).increment();
		}
	}

	private Timer timer(IdempotencyMeter meter, Tags tags) {
		return Timer.builder(meter.meterName()).description(meter.description()).tags(tags).register(this.registry);
	}

	private Counter counter(IdempotencyMeter meter, Tags tags) {
		return Counter.builder(meter.meterName()).description(meter.description()).tags(tags).register(this.registry);
	}

	private static Tags operation(String operation) {
		return Tags.of(IdempotencyMeter.OPERATION, operation);
	}

	private static Tags by(TakenOver takenOver) {
		return operation(takenOver.operation()).and(IdempotencyMeter.BY,
				takenOver.by().name().toLowerCase(Locale.ROOT));
	}

	private static Tags reason(RelayFailure reason) {
		return Tags.of(IdempotencyMeter.REASON, reason.name().toLowerCase(Locale.ROOT));
	}

	private static Tags phase(StoreFailed failed) {
		return operation(failed.operation()).and(IdempotencyMeter.PHASE,
				failed.phase().name().toLowerCase(Locale.ROOT));
	}

}
