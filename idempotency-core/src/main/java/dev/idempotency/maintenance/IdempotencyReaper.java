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
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.IdempotencyStore;

/**
 * Deletes expired records, and marks unfinished requests as stuck, on a dedicated thread
 * that holds nothing between two batches:
 * <ol>
 * <li>A run deletes one batch, and after a pause another, until a batch is not full. Then
 * it looks for stuck requests.</li>
 * <li>The next run comes after the interval. The first run, and every interval, has some
 * chance in it, so that nodes do not run in step.</li>
 * <li>A batch that fails ends the run. The first failure of a streak is logged, every one
 * is a notification.</li>
 * </ol>
 */
public final class IdempotencyReaper implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(IdempotencyReaper.class);

	/**
	 * Time that a shutdown waits for the batch being deleted.
	 */
	private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(5);

	private final IdempotencyStore store;

	private final @Nullable StuckRequests stuck;

	private final NotificationPublisher notifications;

	private final ReaperSchedule schedule;

	private final Pulse pulse = new Pulse(System::nanoTime);

	private final RecurringWork work = new RecurringWork("idempotency-reaper-", 1, SHUTDOWN_LIMIT);

	/**
	 * Accessed by the reaper's thread only.
	 */
	private boolean failing;

	/**
	 * Creates a reaper.
	 * @param store the records
	 * @param stuck finds stuck requests, {@code null} where the store does not know them
	 * @param notifications the listeners
	 * @param schedule the schedule
	 */
	public IdempotencyReaper(IdempotencyStore store, @Nullable StuckRequests stuck, NotificationPublisher notifications,
			ReaperSchedule schedule) {
		this.store = store;
		this.stuck = stuck;
		this.notifications = notifications;
		this.schedule = schedule;
	}

	@Override
	public void start() {
		if (this.work.start(this.schedule::first, (stopping) -> runBatch())) {
			this.pulse.start();
		}
	}

	/**
	 * Waits for the batch that is being deleted, so that it does not lose its connection.
	 */
	@Override
	public void stop() {
		this.work.stop();
	}

	@Override
	public boolean isRunning() {
		return this.work.isRunning();
	}

	/**
	 * Returns whether it is working: it is running, and a batch has succeeded within
	 * three intervals, or within a minute where these are shorter.
	 * @return whether it does
	 */
	public boolean isAlive() {
		return isRunning() && this.pulse.isRegular(this.schedule.interval());
	}

	/**
	 * Returns the end of the last successful batch, including those without any expired
	 * record.
	 * @return the time by the clock of this node, {@code null} if none has yet
	 */
	public @Nullable Instant lastRun() {
		return this.pulse.lastBeat();
	}

	private Duration runBatch() {
		return deleteBatch() ? this.schedule.pause() : this.schedule.next();
	}

	/**
	 * Deletes one batch.
	 * @return whether there may be more
	 */
	private boolean deleteBatch() {
		boolean more;
		try {
			int deleted = this.store.deleteExpired(this.schedule.batchSize());
			if (deleted > 0) {
				this.notifications.publish(new Expired(deleted));
			}
			more = deleted >= this.schedule.batchSize();
			if (!more && this.stuck != null) {
				this.stuck.mark();
			}
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			return false;
		}
		this.pulse.beat();
		if (this.failing) {
			this.failing = false;
			LogEvent.REAPER_RECOVERED.log(logger, "Expired records can be deleted again");
		}
		return more;
	}

	private void failed(Throwable failure) {
		if (!this.failing) {
			this.failing = true;
			LogEvent.REAPER_FAILED.log(logger,
					"Expired records cannot be deleted; they are ignored, and stay until this works again", failure);
		}
		this.notifications.publish(StoreFailed.reaping());
	}

}
