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

import dev.idempotency.IdempotencyEvent;
import dev.idempotency.IdempotencyEvent.CacheFailed;
import dev.idempotency.IdempotencyEvent.Claimant;
import dev.idempotency.IdempotencyEvent.EventNotRelayed;
import dev.idempotency.IdempotencyEvent.EventRelayed;
import dev.idempotency.IdempotencyEvent.Executed;
import dev.idempotency.IdempotencyEvent.Expired;
import dev.idempotency.IdempotencyEvent.Interrupted;
import dev.idempotency.IdempotencyEvent.JobDied;
import dev.idempotency.IdempotencyEvent.JobFailed;
import dev.idempotency.IdempotencyEvent.Mismatched;
import dev.idempotency.IdempotencyEvent.OutboxChecked;
import dev.idempotency.IdempotencyEvent.RefusedInProgress;
import dev.idempotency.IdempotencyEvent.RelayFailure;
import dev.idempotency.IdempotencyEvent.Released;
import dev.idempotency.IdempotencyEvent.ReplaySource;
import dev.idempotency.IdempotencyEvent.Replayed;
import dev.idempotency.IdempotencyEvent.StoreFailed;
import dev.idempotency.IdempotencyEvent.StorePhase;
import dev.idempotency.IdempotencyEvent.Stuck;
import dev.idempotency.IdempotencyEvent.TakenOver;
import dev.idempotency.IdempotencyEvent.UnknownStep;
import dev.idempotency.IdempotencyListener;

/**
 * Counts and times what happens, in the meters of {@link IdempotencyMeter}.
 */
public final class MicrometerListener implements IdempotencyListener {

	private final MeterRegistry registry;

	/**
	 * As of the last look.
	 */
	private volatile Duration oldestEvent = Duration.ZERO;

	/**
	 * Create a listener, and the meters that do not depend on an operation.
	 * @param registry where the meters are
	 */
	public MicrometerListener(MeterRegistry registry) {
		this.registry = registry;
		counter(IdempotencyMeter.EXPIRED, Tags.empty());
		counter(IdempotencyMeter.CACHE_ERRORS, Tags.empty());
		counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.reaping()));
		counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.extending()));
		counter(IdempotencyMeter.STORE_ERRORS, phase(StoreFailed.completing()));
		timer(IdempotencyMeter.OUTBOX_RELAYED, Tags.empty());
		for (RelayFailure reason : RelayFailure.values()) {
			counter(IdempotencyMeter.OUTBOX_FAILED, reason(reason));
		}
		Gauge.builder(IdempotencyMeter.OUTBOX_OLDEST.meterName(), () -> this.oldestEvent.toNanos() / 1e9)
			.description(IdempotencyMeter.OUTBOX_OLDEST.description())
			.baseUnit("seconds")
			.register(registry);
	}

	/**
	 * Create the meters of an operation before anything happens to it: a rate over a
	 * counter that appears with its first event misses that event.
	 * @param operation the operation's name
	 */
	public void register(String operation) {
		Tags tags = operation(operation);
		for (IdempotencyMeter meter : IdempotencyMeter.values()) {
			switch (meter) {
				case EXECUTED, RELEASED, INTERRUPTED -> timer(meter, tags);
				case REPLAYED -> registerReplays(operation);
				case MISMATCHED, IN_PROGRESS, UNKNOWN_STEPS, STUCK -> counter(meter, tags);
				case TAKEN_OVER -> {
					for (Claimant claimant : Claimant.values()) {
						counter(meter, by(new TakenOver(operation, claimant)));
					}
				}
				case STORE_ERRORS -> registerStoreErrors(operation);
				case EXPIRED, CACHE_ERRORS, JOB_FAILED, JOB_DEAD, OUTBOX_RELAYED, OUTBOX_FAILED, OUTBOX_OLDEST -> {
					// Of no operation, and of jobs alone.
				}
			}
		}
	}

	/**
	 * Create the meters of a job type before anything happens to its jobs.
	 * @param operation the name of the operation that executes them
	 */
	public void registerJob(String operation) {
		register(operation);
		counter(IdempotencyMeter.JOB_FAILED, operation(operation));
		counter(IdempotencyMeter.JOB_DEAD, operation(operation));
	}

	private void registerReplays(String operation) {
		for (ReplaySource source : ReplaySource.values()) {
			timer(IdempotencyMeter.REPLAYED, source(operation, source));
		}
	}

	private void registerStoreErrors(String operation) {
		for (StorePhase phase : StorePhase.values()) {
			switch (phase) {
				case CLAIM, PHASE, FINISH, RESOLVE ->
					counter(IdempotencyMeter.STORE_ERRORS, phase(new StoreFailed(operation, phase)));
				case EXTEND, COMPLETE, REAP -> {
					// Of the node, not of an operation.
				}
			}
		}
	}

	@Override
	public void onEvent(IdempotencyEvent event) {
		if (event instanceof Executed executed) {
			time(IdempotencyMeter.EXECUTED, executed.operation(), executed.duration());
		}
		else if (event instanceof Replayed replayed) {
			timer(IdempotencyMeter.REPLAYED, source(replayed.operation(), replayed.source()))
				.record(replayed.duration());
		}
		else if (event instanceof Released released) {
			time(IdempotencyMeter.RELEASED, released.operation(), released.duration());
		}
		else if (event instanceof Interrupted interrupted) {
			time(IdempotencyMeter.INTERRUPTED, interrupted.operation(), interrupted.duration());
		}
		else if (event instanceof TakenOver takenOver) {
			counter(IdempotencyMeter.TAKEN_OVER, by(takenOver)).increment();
		}
		else if (event instanceof UnknownStep unknown) {
			counter(IdempotencyMeter.UNKNOWN_STEPS, operation(unknown.operation())).increment();
		}
		else if (event instanceof Stuck stuck) {
			counter(IdempotencyMeter.STUCK, operation(stuck.operation())).increment();
		}
		else if (event instanceof Mismatched mismatched) {
			counter(IdempotencyMeter.MISMATCHED, operation(mismatched.operation())).increment();
		}
		else if (event instanceof RefusedInProgress refused) {
			counter(IdempotencyMeter.IN_PROGRESS, operation(refused.operation())).increment();
		}
		else if (event instanceof Expired expired) {
			counter(IdempotencyMeter.EXPIRED, Tags.empty()).increment(expired.records());
		}
		else if (event instanceof JobFailed failed) {
			counter(IdempotencyMeter.JOB_FAILED, operation(failed.operation())).increment();
		}
		else if (event instanceof JobDied died) {
			counter(IdempotencyMeter.JOB_DEAD, operation(died.operation())).increment();
		}
		else if (event instanceof EventRelayed relayed) {
			timer(IdempotencyMeter.OUTBOX_RELAYED, Tags.empty()).record(relayed.delay());
		}
		else if (event instanceof EventNotRelayed failed) {
			counter(IdempotencyMeter.OUTBOX_FAILED, reason(failed.reason())).increment();
		}
		else if (event instanceof OutboxChecked checked) {
			this.oldestEvent = checked.oldest();
		}
		else if (event instanceof CacheFailed) {
			counter(IdempotencyMeter.CACHE_ERRORS, Tags.empty()).increment();
		}
		else if (event instanceof StoreFailed failed) {
			counter(IdempotencyMeter.STORE_ERRORS, phase(failed)).increment();
		}
	}

	private void time(IdempotencyMeter meter, String operation, Duration duration) {
		timer(meter, operation(operation)).record(duration);
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

	private static Tags source(String operation, ReplaySource source) {
		return operation(operation).and(IdempotencyMeter.SOURCE, source.name().toLowerCase(Locale.ROOT));
	}

	private static Tags reason(RelayFailure reason) {
		return Tags.of(IdempotencyMeter.REASON, reason.name().toLowerCase(Locale.ROOT));
	}

	private static Tags phase(StoreFailed failed) {
		return operation(failed.operation()).and(IdempotencyMeter.PHASE,
				failed.phase().name().toLowerCase(Locale.ROOT));
	}

}
