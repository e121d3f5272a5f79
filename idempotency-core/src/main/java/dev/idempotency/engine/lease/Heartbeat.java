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
package dev.idempotency.engine.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.Shard;

/**
 * Extends the leases of this node on one shard, all in one statement, on a dedicated
 * thread. A lease that has reached its maximum is no longer extended, so that a run that
 * never ends does not keep its key forever.
 */
final class Heartbeat {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final int TRIES_PER_HEARTBEAT = 10;

	private final Shard shard;

	private final Supplier<LeaseStore> store;

	private final LeaseKeeper.Settings settings;

	private final NotificationPublisher notifications;

	private final Map<Lease, Long> held = new ConcurrentHashMap<>();

	private @Nullable ScheduledExecutorService scheduler;

	private volatile boolean beating;

	private volatile boolean failing;

	Heartbeat(Shard shard, Supplier<LeaseStore> store, LeaseKeeper.Settings settings,
			NotificationPublisher notifications) {
		this.shard = shard;
		this.store = store;
		this.settings = settings;
		this.notifications = notifications;
	}

	Shard shard() {
		return this.shard;
	}

	void hold(Lease lease) {
		this.held.put(lease, System.nanoTime());
		if (!this.beating) {
			beat();
		}
	}

	/**
	 * Starts the thread with the first lease.
	 */
	private synchronized void beat() {
		if (this.scheduler != null && !this.beating) {
			this.beating = true;
			schedule(this.scheduler, this.settings.heartbeat());
		}
	}

	void letGo(Lease lease) {
		this.held.remove(lease);
	}

	/**
	 * Extends the leases and schedules the next heartbeat, soon after a failure. An
	 * {@link Error} is caught, too: it would silently end the heartbeat of all leases.
	 */
	private void extend(ScheduledExecutorService scheduler) {
		Duration pause = this.settings.heartbeat();
		try {
			Collection<Lease> due = dueForExtension();
			if (!due.isEmpty()) {
				this.store.get().extend(due, this.settings.duration());
			}
			this.failing = false;
		}
		catch (Throwable ex) {
			pause = pause.dividedBy(TRIES_PER_HEARTBEAT);
			failed(ex);
		}
		finally {
			schedule(scheduler, pause);
		}
	}

	private void failed(Throwable failure) {
		try {
			if (!this.failing) {
				LogEvent.LEASES_NOT_EXTENDED.log(logger, this.shard.in("Leases could not be extended, trying again"),
						failure);
			}
			this.failing = true;
			this.notifications.publish(StoreFailed.extending());
		}
		catch (Throwable ex) {
			// The heartbeat matters more than its notifications.
			failure.addSuppressed(ex);
		}
	}

	private void schedule(ScheduledExecutorService scheduler, Duration pause) {
		try {
			scheduler.schedule(() -> extend(scheduler), pause.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// Stopped.
		}
	}

	private Collection<Lease> dueForExtension() {
		long now = System.nanoTime();
		long max = this.settings.max().toNanos();
		this.held.values().removeIf((since) -> now - since >= max);
		return List.copyOf(this.held.keySet());
	}

	synchronized void start() {
		if (this.scheduler == null) {
			this.scheduler = Executors.newSingleThreadScheduledExecutor(this.shard.daemons("idempotency-heartbeat-"));
			if (!this.held.isEmpty()) {
				beat();
			}
		}
	}

	synchronized void stop() {
		if (this.scheduler == null) {
			return;
		}
		this.scheduler.shutdownNow();
		awaitLast(this.scheduler);
		this.scheduler = null;
		this.beating = false;
		List<Lease> left = List.copyOf(this.held.keySet());
		if (!left.isEmpty()) {
			LogEvent.REQUESTS_LEFT.log(logger, this.shard
				.in(left.size() + " requests did not finish before the shutdown, their leases are given up"));
			giveUp(left);
		}
	}

	/**
	 * Waits for a heartbeat in progress, which would extend the leases that are given up.
	 */
	private void awaitLast(ScheduledExecutorService stopped) {
		try {
			stopped.awaitTermination(this.settings.duration().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void giveUp(List<Lease> leases) {
		try {
			this.shard.run(() -> this.store.get().abandon(leases));
		}
		catch (RuntimeException ex) {
			LogEvent.LEASES_NOT_GIVEN_UP.log(logger, this.shard.in("Leases could not be given up, they expire"), ex);
		}
	}

	synchronized boolean isRunning() {
		return this.scheduler != null;
	}

}
