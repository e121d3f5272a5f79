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
package dev.idempotency.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseStore;

/**
 * Extends the leases of this node, all in one statement, on a dedicated thread. A lease
 * that has reached its maximum is no longer extended, so that a run that never ends does
 * not keep its key forever. Stops after the web server: requests in flight have finished
 * by then, or their leases are given up.
 */
public final class LeaseKeeper implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final int TRIES_PER_HEARTBEAT = 10;

	private final SingletonSupplier<LeaseStore> store;

	private final EngineSettings.Lease settings;

	private final NotificationPublisher notifications;

	private final Map<Lease, Long> held = new ConcurrentHashMap<>();

	/**
	 * The leases that transactions are about to lock, with the number of these.
	 */
	private final Map<Lease, Integer> locking = new ConcurrentHashMap<>();

	/**
	 * Held while a heartbeat is on its way.
	 */
	private final Lock extending = new ReentrantLock();

	private @Nullable ScheduledExecutorService scheduler;

	private volatile boolean beating;

	private volatile boolean failing;

	/**
	 * Creates a keeper.
	 * @param store supplies the store for the first lease
	 * @param settings the settings of leases
	 * @param notifications publishes failures
	 */
	public LeaseKeeper(Supplier<LeaseStore> store, EngineSettings.Lease settings, NotificationPublisher notifications) {
		this.store = SingletonSupplier.of(store);
		this.settings = settings;
		this.notifications = notifications;
	}

	/**
	 * Extends a lease from now on.
	 * @param lease the lease
	 */
	public void startHeartbeat(Lease lease) {
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

	/**
	 * Stops extending a lease.
	 * @param lease the lease
	 */
	public void stopHeartbeat(Lease lease) {
		this.held.remove(lease);
	}

	/**
	 * Lets a transaction lock a lease while no heartbeat changes it: above READ COMMITTED
	 * a transaction cannot lock a row that was changed since it began. Waits for a
	 * heartbeat that is on its way, and keeps the lease out of the next ones; once it is
	 * locked, heartbeats pass it over.
	 * @param lease the lease
	 * @param statement locks it
	 * @return the result of the statement
	 */
	public boolean lock(Lease lease, BooleanSupplier statement) {
		this.locking.merge(lease, 1, Integer::sum);
		try {
			this.extending.lock();
			this.extending.unlock();
			return statement.getAsBoolean();
		}
		finally {
			this.locking.computeIfPresent(lease, (key, number) -> (number > 1) ? number - 1 : null);
		}
	}

	/**
	 * Returns the settings of leases.
	 * @return the settings
	 */
	public EngineSettings.Lease settings() {
		return this.settings;
	}

	/**
	 * Extends the leases and schedules the next heartbeat, soon after a failure. An
	 * {@link Error} is caught, too: it would silently end the heartbeat of all leases.
	 */
	private void extend(ScheduledExecutorService scheduler) {
		Duration pause = this.settings.heartbeat();
		try {
			extendDue();
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

	private void extendDue() {
		this.extending.lock();
		try {
			Collection<Lease> due = dueForExtension();
			if (!due.isEmpty()) {
				this.store.obtain().extend(due, this.settings.duration());
			}
		}
		finally {
			this.extending.unlock();
		}
	}

	private void failed(Throwable failure) {
		try {
			if (!this.failing) {
				LogEvent.LEASES_NOT_EXTENDED.log(logger, "Leases could not be extended, trying again", failure);
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
		return this.held.keySet().stream().filter((lease) -> !this.locking.containsKey(lease)).toList();
	}

	@Override
	public synchronized void start() {
		if (this.scheduler == null) {
			CustomizableThreadFactory threads = new CustomizableThreadFactory("idempotency-heartbeat-");
			threads.setDaemon(true);
			this.scheduler = Executors.newSingleThreadScheduledExecutor(threads);
			if (!this.held.isEmpty()) {
				beat();
			}
		}
	}

	@Override
	public synchronized void stop() {
		if (this.scheduler == null) {
			return;
		}
		this.scheduler.shutdownNow();
		awaitLast(this.scheduler);
		this.scheduler = null;
		this.beating = false;
		List<Lease> left = List.copyOf(this.held.keySet());
		if (!left.isEmpty()) {
			LogEvent.REQUESTS_LEFT.log(logger,
					left.size() + " requests did not finish before the shutdown, their leases are given up");
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
			this.store.obtain().abandon(leases);
		}
		catch (RuntimeException ex) {
			LogEvent.LEASES_NOT_GIVEN_UP.log(logger, "Leases could not be given up, they expire", ex);
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.scheduler != null;
	}

	/**
	 * Stops after the web server's graceful shutdown, whose phase is near the maximum.
	 */
	@Override
	public int getPhase() {
		return SmartLifecycle.DEFAULT_PHASE - 4096;
	}

	/**
	 * Requires a store that keeps leases.
	 * @param store the store
	 * @param subject the operation or bean that needs leases, for the message
	 * @return the store
	 * @throws InvalidIdempotentException if it is not a {@link LeaseStore}
	 */
	public static LeaseStore requireLeases(IdempotencyStore store, String subject) {
		if (store instanceof LeaseStore leases) {
			return leases;
		}
		throw withoutLeases(subject);
	}

	/**
	 * Creates the exception for a store that does not keep leases.
	 * @param subject the operation or bean that needs leases
	 * @return the exception
	 */
	public static InvalidIdempotentException withoutLeases(String subject) {
		return new InvalidIdempotentException(
				subject + " runs under a lease or in phases, and the IdempotencyStore bean of the application does not "
						+ "support leases.",
				"Implement LeaseStore in the store; or run the operation in one transaction, with "
						+ "mode = Mode.TRANSACTIONAL and without Phases.");
	}

}
