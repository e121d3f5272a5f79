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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.Lifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.logging.LogEvent;

/**
 * Work that dedicated threads repeat. The application needs no scheduling.
 * <ol>
 * <li>The first turn starts at a random time in the first interval, so that nodes that
 * are deployed together do not run in step.</li>
 * <li>After a turn, its thread waits for the time that the turn returned, and after a
 * failure for about an interval. The first failure of a streak is logged, and each is
 * published.</li>
 * <li>A stop waits for turns in progress. Turns that do not end in time are
 * interrupted.</li>
 * </ol>
 */
abstract class RecurringWork implements Lifecycle {

	private final Log logger = LogFactory.getLog(getClass());

	private final Threads threads;

	private final Duration interval;

	private final Messages messages;

	private final NotificationPublisher notifications;

	private final Pulse pulse = new Pulse(System::nanoTime);

	private final AtomicBoolean failing = new AtomicBoolean();

	private @Nullable ScheduledThreadPoolExecutor executor;

	RecurringWork(Threads threads, Duration interval, Messages messages, NotificationPublisher notifications) {
		this.threads = threads;
		this.interval = interval;
		this.messages = messages;
		this.notifications = notifications;
	}

	/**
	 * Does the work of one turn.
	 * @param stopping tests whether the work is being stopped
	 * @return the time until the next turn
	 */
	abstract Duration run(BooleanSupplier stopping);

	@Override
	public synchronized void start() {
		if (this.executor != null) {
			return;
		}
		CustomizableThreadFactory factory = new CustomizableThreadFactory(this.threads.prefix());
		factory.setDaemon(true);
		ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(this.threads.count(), factory);
		started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.executor = started;
		this.pulse.start();
		for (int i = 0; i < this.threads.count(); i++) {
			schedule(started, first(this.interval));
		}
	}

	private synchronized void schedule(ScheduledThreadPoolExecutor owner, Duration delay) {
		if (this.executor == owner) {
			owner.schedule(() -> schedule(owner, turn(owner::isShutdown)), delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private Duration turn(BooleanSupplier stopping) {
		try {
			Duration pause = run(stopping);
			this.pulse.beat();
			if (this.failing.compareAndSet(true, false)) {
				this.messages.recovered().log(this.logger, this.messages.recovery());
			}
			return pause;
		}
		catch (RuntimeException | Error ex) {
			if (this.failing.compareAndSet(false, true)) {
				this.messages.failed().log(this.logger, this.messages.failure(), ex);
			}
			this.notifications.publish(this.messages.each());
			return next(this.interval);
		}
	}

	@Override
	public void stop() {
		ScheduledThreadPoolExecutor stopped = detach();
		if (stopped == null) {
			return;
		}
		stopped.shutdown();
		try {
			if (stopped.awaitTermination(this.threads.shutdownLimit().toNanos(), TimeUnit.NANOSECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		stopped.shutdownNow();
	}

	/**
	 * Ends the work. The last turn is awaited outside the monitor, which it needs.
	 */
	private synchronized @Nullable ScheduledThreadPoolExecutor detach() {
		ScheduledThreadPoolExecutor detached = this.executor;
		this.executor = null;
		return detached;
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	/**
	 * Returns whether the work goes on: it is running, and has had a successful turn
	 * within three intervals, at least within a minute.
	 * @return {@code false} if it has stopped, or fails
	 */
	public boolean isAlive() {
		return isRunning() && this.pulse.isRegular(this.interval);
	}

	/**
	 * Returns the end of the last successful turn, including turns without work.
	 * @return the time by the clock of this node, {@code null} if there was none yet
	 */
	public @Nullable Instant lastRun() {
		return this.pulse.lastBeat();
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
	 * The threads that do the work.
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

}
