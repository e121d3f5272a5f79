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

import io.micrometer.core.instrument.MeterRegistry;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
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
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.Replayed;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.IdempotencyNotification.TakenOver;
import dev.idempotency.IdempotencyNotification.UnknownStep;
import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observability.RequestOutcome;

/**
 * Counts and times notifications in the meters of {@link IdempotencyMeter}.
 */
public final class MicrometerListener implements IdempotencyListener {

	private final LibraryMeters meters;

	/**
	 * Creates a listener.
	 * @param registry the registry of the meters
	 */
	public MicrometerListener(MeterRegistry registry) {
		this.meters = new LibraryMeters(registry);
	}

	/**
	 * Returns the meters, for those that exist before their first event.
	 */
	LibraryMeters meters() {
		return this.meters;
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
			this.meters.requests(refused.operation(), outcome(refused.refusal())).record(refused.duration());
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

	private static RequestOutcome outcome(Refusal refusal) {
		return switch (refusal) {
			case MISMATCHED -> RequestOutcome.MISMATCHED;
			case IN_PROGRESS -> RequestOutcome.IN_PROGRESS;
			case STUCK -> RequestOutcome.STUCK;
			case LIMITED -> RequestOutcome.LIMITED;
			case NOT_REPLAYABLE -> RequestOutcome.NOT_REPLAYABLE;
		};
	}

}
