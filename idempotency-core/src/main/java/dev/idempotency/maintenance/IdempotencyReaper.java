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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.UnfinishedStore;

/**
 * Deletes expired records and marks unfinished requests as stuck, on a dedicated thread:
 * <ol>
 * <li>A run deletes batches, with pauses between them, until a batch is not full. Nothing
 * is held during a pause. Then the run marks stuck requests.</li>
 * <li>The next run starts after the interval. The first run and each interval are varied
 * at random, so that nodes do not run in step.</li>
 * <li>A failure ends the run. The first failure of a streak is logged, and each is
 * published.</li>
 * </ol>
 */
public final class IdempotencyReaper extends RecurringWork {

	/**
	 * The number of records that are deleted in one transaction.
	 */
	public static final int BATCH_SIZE = 5000;

	/**
	 * The time between two batches of a run, which leaves the database to other requests.
	 */
	private static final Duration PAUSE = Duration.ofMillis(50);

	/**
	 * The time for which a shutdown waits for the current batch, so that it does not lose
	 * its connection.
	 */
	private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(5);

	private static final Messages MESSAGES = new Messages(LogEvent.REAPER_FAILED,
			"Expired records cannot be deleted; they are ignored until this works again", LogEvent.REAPER_RECOVERED,
			"Expired records can be deleted again", StoreFailed.reaping());

	private final IdempotencyStore store;

	private final @Nullable UnfinishedStore unfinished;

	private final NotificationPublisher notifications;

	private final Schedule schedule;

	/**
	 * Creates a reaper.
	 * @param store the records
	 * @param unfinished the requests without a response, {@code null} if the store has no
	 * leases
	 * @param notifications the listeners
	 * @param schedule the schedule
	 */
	public IdempotencyReaper(IdempotencyStore store, @Nullable UnfinishedStore unfinished,
			NotificationPublisher notifications, Schedule schedule) {
		super(new Threads("idempotency-reaper-", 1, SHUTDOWN_LIMIT), schedule.interval(), MESSAGES, notifications);
		this.store = store;
		this.unfinished = unfinished;
		this.notifications = notifications;
		this.schedule = schedule;
	}

	@Override
	Duration run(BooleanSupplier stopping) {
		int deleted = this.store.deleteExpired(BATCH_SIZE);
		if (deleted > 0) {
			this.notifications.publish(new Expired(deleted));
		}
		if (deleted >= BATCH_SIZE) {
			return PAUSE;
		}
		markStuck();
		return next(this.schedule.interval());
	}

	/**
	 * Marks the unfinished requests that need manual resolution, and publishes them. They
	 * are never deleted; their stored requests are erased in time.
	 */
	private void markStuck() {
		if (this.unfinished != null) {
			this.unfinished.markStuck(this.schedule.maxAttempts(), this.schedule.keepUnfinished())
				.forEach((operation) -> this.notifications.publish(new Stuck(operation)));
			this.unfinished.retireStuck(this.schedule.keepUnfinished(), this.schedule.keepStuckRequests());
		}
	}

	/**
	 * The schedule of the reaper.
	 *
	 * @param interval the time between two runs, give or take a tenth
	 * @param maxAttempts the number of attempts after which a request needs manual
	 * resolution
	 * @param keepUnfinished the time after its last attempt for which a request is left
	 * to its sender
	 * @param keepStuckRequests the time for which the content of a stuck request is kept
	 */
	public record Schedule(Duration interval, int maxAttempts, Duration keepUnfinished, Duration keepStuckRequests) {
	}

}
