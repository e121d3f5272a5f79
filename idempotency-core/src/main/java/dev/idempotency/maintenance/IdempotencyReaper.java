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
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

import dev.idempotency.IdempotencyNotification.Expired;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;
import dev.idempotency.store.UnfinishedStore;

/**
 * Deletes expired records, and marks unfinished requests as stuck, on a dedicated thread
 * for each shard that holds nothing between two batches:
 * <ol>
 * <li>A run deletes one batch, and after a pause another, until a batch is not full. Then
 * it looks for stuck requests.</li>
 * <li>The next run comes after the interval. The first run, and every interval, is varied
 * at random, so that nodes do not run in step.</li>
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

	private final @Nullable UnfinishedStore unfinished;

	private final NotificationPublisher notifications;

	private final Schedule schedule;

	private final List<OneShard> shards;

	/**
	 * Creates a reaper.
	 * @param store the records
	 * @param unfinished the requests without an answer, {@code null} where the store has
	 * none
	 * @param notifications the listeners
	 * @param schedule the schedule
	 * @param shards the databases that have records
	 */
	public IdempotencyReaper(IdempotencyStore store, @Nullable UnfinishedStore unfinished,
			NotificationPublisher notifications, Schedule schedule, Shards shards) {
		this.store = store;
		this.unfinished = unfinished;
		this.notifications = notifications;
		this.schedule = schedule;
		this.shards = Shard.all(shards).stream().map(OneShard::new).toList();
	}

	@Override
	public void start() {
		this.shards.forEach(OneShard::start);
	}

	/**
	 * Waits for the batch that is being deleted, so that it does not lose its connection.
	 */
	@Override
	public void stop() {
		RecurringWork.stop(this.shards.stream().map((shard) -> shard.work).toList());
	}

	@Override
	public boolean isRunning() {
		return this.shards.get(0).work.isRunning();
	}

	/**
	 * Returns whether it is working: it is running, and on every shard a batch has
	 * succeeded within three intervals, or within a minute where these are shorter.
	 * @return whether it does
	 */
	public boolean isAlive() {
		return isRunning() && this.shards.stream().allMatch((shard) -> shard.pulse.isRegular(this.schedule.interval()));
	}

	/**
	 * Returns the end of the last successful batch, including those without any expired
	 * record, on the shard where it was longest ago.
	 * @return the time by the clock of this node, {@code null} if none has yet
	 */
	public @Nullable Instant lastRun() {
		return Pulse.slowest(this.shards.stream().map((shard) -> shard.pulse).toList());
	}

	/**
	 * Marks the unfinished requests that need manual resolution, and informs the
	 * listeners. Nothing unfinished is ever deleted.
	 */
	private void markStuck() {
		if (this.unfinished != null) {
			this.unfinished.markStuck(this.schedule.maxAttempts(), this.schedule.keepUnfinished())
				.forEach((operation) -> this.notifications.publish(new Stuck(operation)));
		}
	}

	/**
	 * The schedule and batch size of the reaper.
	 *
	 * @param interval the time between two runs, give or take a tenth
	 * @param batchSize the number of records deleted in one transaction
	 * @param pause the time between two batches of a run
	 * @param maxAttempts the number of attempts after which a request needs manual
	 * resolution
	 * @param keepUnfinished the time after its last attempt that a request is left to its
	 * sender
	 */
	public record Schedule(Duration interval, int batchSize, Duration pause, int maxAttempts, Duration keepUnfinished) {

		Duration first() {
			return Jitter.first(this.interval);
		}

		Duration next() {
			return Jitter.next(this.interval);
		}

	}

	/**
	 * The records of one shard.
	 */
	private final class OneShard {

		private final Shard shard;

		private final Pulse pulse = new Pulse(System::nanoTime);

		private final RecurringWork work;

		/**
		 * Accessed by the shard's thread only.
		 */
		private boolean failing;

		OneShard(Shard shard) {
			this.shard = shard;
			this.work = new RecurringWork("idempotency-reaper-", 1, SHUTDOWN_LIMIT, shard);
		}

		void start() {
			if (this.work.start(IdempotencyReaper.this.schedule::first, (stopping) -> runBatch())) {
				this.pulse.start();
			}
		}

		private Duration runBatch() {
			Schedule schedule = IdempotencyReaper.this.schedule;
			return deleteBatch(schedule.batchSize()) ? schedule.pause() : schedule.next();
		}

		/**
		 * Deletes one batch.
		 * @return whether there may be more
		 */
		private boolean deleteBatch(int limit) {
			boolean more;
			try {
				int deleted = IdempotencyReaper.this.store.deleteExpired(limit);
				if (deleted > 0) {
					IdempotencyReaper.this.notifications.publish(new Expired(deleted));
				}
				more = deleted >= limit;
				if (!more) {
					markStuck();
				}
			}
			catch (RuntimeException | Error ex) {
				failed(ex);
				return false;
			}
			this.pulse.beat();
			if (this.failing) {
				this.failing = false;
				LogEvent.REAPER_RECOVERED.log(logger, this.shard.in("Expired records can be deleted again"));
			}
			return more;
		}

		private void failed(Throwable failure) {
			if (!this.failing) {
				this.failing = true;
				LogEvent.REAPER_FAILED.log(logger,
						this.shard.in("Expired records cannot be deleted; they are ignored until this works again"),
						failure);
			}
			IdempotencyReaper.this.notifications.publish(StoreFailed.reaping());
		}

	}

}
