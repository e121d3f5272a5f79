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
package dev.idempotency.cache;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import dev.idempotency.IdempotencyNotification.CacheFailed;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;

/**
 * A cache that can fail, hang or be gone without anybody else noticing but by its
 * absence:
 * <ol>
 * <li>It is only accessed by a few dedicated threads, with a short queue. Where the queue
 * is full the cache is left out.</li>
 * <li>Who wants something of it waits no longer than the timeout. Who brings something
 * does not wait.</li>
 * <li>After a failure it is left alone for a moment, so that not every request waits in
 * vain. The first failure of a streak is logged, every one is a notification.</li>
 * </ol>
 */
final class GuardedCache {

	private static final Log logger = LogFactory.getLog(GuardedCache.class);

	static final Duration REST = Duration.ofSeconds(1);

	private static final int THREADS = 8;

	private static final int QUEUE = 64;

	private final Cache cache;

	private final Duration timeout;

	private final NotificationPublisher notifications;

	private final LongSupplier nanoTime;

	private final ThreadPoolExecutor executor;

	private final AtomicBoolean failing = new AtomicBoolean();

	private volatile long failedAt;

	GuardedCache(Cache cache, Duration timeout, NotificationPublisher notifications, LongSupplier nanoTime) {
		this.cache = cache;
		this.timeout = timeout;
		this.notifications = notifications;
		this.nanoTime = nanoTime;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("idempotency-cache-");
		threads.setDaemon(true);
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(QUEUE),
				threads);
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Asks the cache, unless it has just failed.
	 * @return the entry, {@code null} for nothing or when the cache does not work
	 */
	<T> @Nullable T ask(Function<Cache, @Nullable T> question) {
		return isResting() ? null : await(question);
	}

	/**
	 * Sends an update without waiting for it.
	 */
	void tell(Consumer<Cache> message) {
		if (isResting()) {
			return;
		}
		try {
			this.executor.execute(() -> {
				try {
					message.accept(this.cache);
					works();
				}
				catch (RuntimeException | Error ex) {
					failed(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			failed(ex);
		}
	}

	/**
	 * Gives a task to the cache even shortly after a failure, and waits for it.
	 */
	void require(Consumer<Cache> order) {
		await((cache) -> {
			order.accept(cache);
			return null;
		});
	}

	private <T> @Nullable T await(Function<Cache, @Nullable T> question) {
		FutureTask<@Nullable T> reply = new FutureTask<>(() -> question.apply(this.cache));
		try {
			this.executor.execute(reply);
			T found = reply.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
			works();
			return found;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | RejectedExecutionException | TimeoutException ex) {
			failed(ex);
		}
		reply.cancel(true);
		this.executor.remove(reply);
		return null;
	}

	private boolean isResting() {
		return this.failing.get() && this.nanoTime.getAsLong() - this.failedAt < REST.toNanos();
	}

	private void works() {
		if (this.failing.get() && this.failing.compareAndSet(true, false)) {
			LogEvent.CACHE_RECOVERED.log(logger, "The shared cache of idempotent answers works again");
		}
	}

	private void failed(Throwable failure) {
		this.failedAt = this.nanoTime.getAsLong();
		if (this.failing.compareAndSet(false, true)) {
			LogEvent.CACHE_FAILED.log(logger,
					"The shared cache of idempotent answers does not work; the database answers instead", failure);
		}
		this.notifications.publish(new CacheFailed());
	}

	void close() {
		this.executor.shutdownNow();
	}

}
