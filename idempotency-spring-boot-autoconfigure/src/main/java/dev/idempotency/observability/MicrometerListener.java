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

import java.util.Set;

import io.micrometer.core.instrument.MeterRegistry;

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

/**
 * Counts and times notifications in the meters of {@link IdempotencyMeter}.
 */
public final class MicrometerListener implements IdempotencyListener {

	private final LibraryMeters meters;

	/**
	 * Creates a listener. It registers a meter at the first event of its kind, and those
	 * of {@code register} in advance.
	 * @param registry the registry of the meters
	 */
	public MicrometerListener(MeterRegistry registry) {
		this.meters = new LibraryMeters(registry);
	}

	/**
	 * Creates the meters of features that belong to no operation, before their first
	 * event.
	 * @param features the features that are in use
	 */
	public void register(Set<Feature> features) {
		for (Feature feature : features) {
			switch (feature) {
				case REAPER -> {
					this.meters.counter(IdempotencyMeter.EXPIRED);
					this.meters.storeErrors(StoreFailed.reaping());
				}
				case COMPLETER -> this.meters.storeErrors(StoreFailed.completing());
				case LEASES -> this.meters.storeErrors(StoreFailed.extending());
				case OUTBOX -> registerOutbox();
				case LOCAL_CACHE -> {
					// Its replays belong to an operation.
				}
			}
		}
	}

	private void registerOutbox() {
		this.meters.timer(IdempotencyMeter.OUTBOX_RELAYED);
		for (RelayFailure reason : RelayFailure.values()) {
			this.meters.notRelayed(reason);
		}
		this.meters.registerOldestEvent();
	}

	/**
	 * Creates the meters of an operation before its first event: a rate over a counter
	 * that appears with an event misses that event.
	 * @param operation the operation's name
	 * @param mode its mode, which limits the possible events
	 * @param features the features that are in use
	 */
	public void register(String operation, Mode mode, Set<Feature> features) {
		for (RequestOutcome outcome : RequestOutcome.values()) {
			switch (outcome) {
				case EXECUTED, RELEASED, MISMATCHED, IN_PROGRESS, NOT_REPLAYABLE ->
					this.meters.requests(operation, outcome);
				case INTERRUPTED, STUCK, LIMITED -> {
					if (mode == Mode.LEASED) {
						this.meters.requests(operation, outcome);
					}
				}
				case REPLAYED -> registerReplays(operation, features);
			}
		}
		registerStoreErrors(operation, mode);
		if (mode == Mode.LEASED) {
			registerLeased(operation);
		}
	}

	private void registerLeased(String operation) {
		this.meters.counter(IdempotencyMeter.UNKNOWN_STEPS, operation);
		this.meters.counter(IdempotencyMeter.STUCK, operation);
		for (Claimant claimant : Claimant.values()) {
			this.meters.takenOver(new TakenOver(operation, claimant));
		}
	}

	/**
	 * Creates the meters of a job type before the first event of its jobs.
	 * @param operation the name of the operation that executes them
	 * @param features the features that are in use
	 */
	public void registerJob(String operation, Set<Feature> features) {
		register(operation, Mode.TRANSACTIONAL, features);
		this.meters.counter(IdempotencyMeter.JOB_FAILED, operation);
		this.meters.counter(IdempotencyMeter.JOB_DEAD, operation);
	}

	private void registerReplays(String operation, Set<Feature> features) {
		for (ReplaySource source : ReplaySource.values()) {
			boolean used = switch (source) {
				case DATABASE -> true;
				case LOCAL -> features.contains(Feature.LOCAL_CACHE);
			};
			if (used) {
				this.meters.requests(operation, RequestOutcome.REPLAYED, source);
			}
		}
	}

	private void registerStoreErrors(String operation, Mode mode) {
		for (StorePhase phase : StorePhase.values()) {
			switch (phase) {
				case CLAIM, FINISH, RESOLVE -> this.meters.storeErrors(new StoreFailed(operation, phase));
				case PHASE -> {
					if (mode == Mode.LEASED) {
						this.meters.storeErrors(new StoreFailed(operation, phase));
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
			this.meters.requests(executed.operation(), RequestOutcome.EXECUTED).record(executed.duration());
		}
		else if (notification instanceof Replayed replayed) {
			this.meters.requests(replayed.operation(), RequestOutcome.REPLAYED, replayed.source())
				.record(replayed.duration());
		}
		else if (notification instanceof Refused refused) {
			this.meters.requests(refused.operation(), RequestOutcome.of(refused.refusal())).record(refused.duration());
		}
		else if (notification instanceof Released released) {
			this.meters.requests(released.operation(), RequestOutcome.RELEASED).record(released.duration());
		}
		else if (notification instanceof Interrupted interrupted) {
			this.meters.requests(interrupted.operation(), RequestOutcome.INTERRUPTED).record(interrupted.duration());
		}
		else if (notification instanceof TakenOver takenOver) {
			this.meters.takenOver(takenOver).increment();
		}
		else if (notification instanceof UnknownStep unknown) {
			this.meters.counter(IdempotencyMeter.UNKNOWN_STEPS, unknown.operation()).increment();
		}
		else if (notification instanceof Stuck stuck) {
			this.meters.counter(IdempotencyMeter.STUCK, stuck.operation()).increment();
		}
		else if (notification instanceof Expired expired) {
			this.meters.counter(IdempotencyMeter.EXPIRED).increment(expired.records());
		}
		else if (notification instanceof JobFailed failed) {
			this.meters.counter(IdempotencyMeter.JOB_FAILED, failed.operation()).increment();
		}
		else if (notification instanceof JobDied died) {
			this.meters.counter(IdempotencyMeter.JOB_DEAD, died.operation()).increment();
		}
		else if (notification instanceof EventRelayed relayed) {
			this.meters.timer(IdempotencyMeter.OUTBOX_RELAYED).record(relayed.delay());
		}
		else if (notification instanceof EventNotRelayed failed) {
			this.meters.notRelayed(failed.reason()).increment();
		}
		else if (notification instanceof OutboxChecked checked) {
			this.meters.oldestEvent(checked.oldest());
		}
		else if (notification instanceof StoreFailed failed) {
			this.meters.storeErrors(failed).increment();
		}
	}

	/**
	 * Features whose meters exist from start-up only where the feature is in use.
	 */
	public enum Feature {

		/**
		 * Deletion of expired answers on this node.
		 */
		REAPER,

		/**
		 * Completion of abandoned requests by this node.
		 */
		COMPLETER,

		/**
		 * Operations in mode leased, and the heartbeat of their leases.
		 */
		LEASES,

		/**
		 * Replays from the memory of this node.
		 */
		LOCAL_CACHE,

		/**
		 * Events that are relayed to a broker.
		 */
		OUTBOX

	}

}
