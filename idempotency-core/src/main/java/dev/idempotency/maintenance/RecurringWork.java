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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;

/**
 * Work that dedicated threads repeat on each shard. The application needs no scheduling.
 * <ol>
 * <li>The first turn starts at a random time in the first interval, so that nodes that
 * are deployed together do not run in step.</li>
 * <li>After a turn, its thread waits for the time that the turn returned, and after a
 * failure for about an interval. The first failure of a streak is logged, and each is
 * published.</li>
 * <li>A stop ends the work on all shards at once, and waits for turns in progress. Turns
 * that do not end in time are interrupted.</li>
 * </ol>
 */
abstract class RecurringWork implements SmartLifecycle {

	private final Log logger = LogFactory.getLog(getClass());

	private final Threads threads;

	private final Duration interval;

	private final Messages messages;

	private final NotificationPublisher notifications;

	private final List<OneShard> shards;

	RecurringWork(Threads threads, Duration interval, Messages messages, NotificationPublisher notifications,
			Shards shards) {
		this.threads = threads;
		this.interval = interval;
		this.messages = messages;
		this.notifications = notifications;
		this.shards = Shard.all(shards).stream().map(OneShard::new).toList();
	}

	/**
	 * Does the work of one turn on the shard of the thread.
	 * @param stopping tests whether the work is being stopped
	 * @return the time until the next turn
	 */
	abstract Duration run(BooleanSupplier stopping);

	@Override
	public void start() {
		this.shards.forEach(OneShard::start);
	}

	@Override
	public void stop() {
		long start = System.nanoTime();
		List<ScheduledThreadPoolExecutor> stopping = this.shards.stream().flatMap(OneShard::shutdown).toList();
		stopping.forEach((executor) -> await(executor, start));
	}

	private void await(ScheduledThreadPoolExecutor stopping, long since) {
		try {
			if (stopping.awaitTermination(this.threads.shutdownLimit().toNanos() - (System.nanoTime() - since),
					TimeUnit.NANOSECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		stopping.shutdownNow();
	}

	@Override
	public boolean isRunning() {
		return this.shards.get(0).isRunning();
	}

	/**
	 * Returns whether the work goes on: it is running, and every shard has had a
	 * successful turn within three intervals, at least within a minute.
	 * @return {@code false} if it has stopped, or fails on a shard
	 */
	public boolean isAlive() {
		return isRunning() && this.shards.stream().allMatch((shard) -> shard.pulse.isRegular(this.interval));
	}

	/**
	 * Returns the end of the last successful turn, including turns without work, on the
	 * shard where it is longest ago.
	 * @return the time by the clock of this node, {@code null} if a shard has had none
	 * yet
	 */
	public @Nullable Instant lastRun() {
		return Pulse.slowest(this.shards.stream().map((shard) -> shard.pulse).toList());
	}

	/**
	 * Returns a random time within an interval.
	 */
	static Duration first(Duration interval) {
		return scaled(interval, ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Returns an interval, give or take a tenth: nodes that run in step by accident drift
	 * apart.
	 */
	static Duration next(Duration interval) {
		return scaled(interval, ThreadLocalRandom.current().nextDouble(0.9, 1.1));
	}

	private static Duration scaled(Duration interval, double factor) {
		return Duration.ofNanos((long) (interval.toNanos() * factor));
	}

	/**
	 * The threads of each shard.
	 *
	 * @param prefix the beginning of their names
	 * @param count the number of threads
	 * @param shutdownLimit the time for which a stop waits for turns in progress
	 */
	record Threads(String prefix, int count, Duration shutdownLimit) {

	}

	/**
	 * The report of a streak of failures.
	 *
	 * @param failed the log event of its first failure
	 * @param failure the message of that event
	 * @param recovered the log event of its end
	 * @param recovery the message of that event
	 * @param each the notification of each failure
	 */
	record Messages(LogEvent failed, String failure, LogEvent recovered, String recovery, StoreFailed each) {

	}

	/**
	 * The work on one shard.
	 */
	private final class OneShard {

		private final Shard shard;

		private final Pulse pulse = new Pulse(System::nanoTime);

		private final AtomicBoolean failing = new AtomicBoolean();

		private @Nullable ScheduledThreadPoolExecutor executor;

		OneShard(Shard shard) {
			this.shard = shard;
		}

		synchronized void start() {
			if (this.executor != null) {
				return;
			}
			Threads threads = RecurringWork.this.threads;
			ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(threads.count(),
					this.shard.daemons(threads.prefix()));
			started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
			this.executor = started;
			this.pulse.start();
			for (int i = 0; i < threads.count(); i++) {
				schedule(started, first(RecurringWork.this.interval));
			}
		}

		private synchronized void schedule(ScheduledThreadPoolExecutor owner, Duration delay) {
			if (this.executor == owner) {
				owner.schedule(() -> schedule(owner, turn(owner::isShutdown)), delay.toNanos(), TimeUnit.NANOSECONDS);
			}
		}

		private Duration turn(BooleanSupplier stopping) {
			Messages messages = RecurringWork.this.messages;
			try {
				Duration pause = run(stopping);
				this.pulse.beat();
				if (this.failing.compareAndSet(true, false)) {
					messages.recovered().log(RecurringWork.this.logger, this.shard.in(messages.recovery()));
				}
				return pause;
			}
			catch (RuntimeException | Error ex) {
				if (this.failing.compareAndSet(false, true)) {
					messages.failed().log(RecurringWork.this.logger, this.shard.in(messages.failure()), ex);
				}
				RecurringWork.this.notifications.publish(messages.each());
				return next(RecurringWork.this.interval);
			}
		}

		synchronized Stream<ScheduledThreadPoolExecutor> shutdown() {
			ScheduledThreadPoolExecutor stopped = this.executor;
			this.executor = null;
			if (stopped != null) {
				stopped.shutdown();
			}
			return Stream.ofNullable(stopped);
		}

		synchronized boolean isRunning() {
			return this.executor != null;
		}

	}

}
