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
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Shard;

/**
 * Dedicated threads that repeat the same work, so that an application needs no
 * scheduling. Each waits between two turns for as long as the last turn has asked for.
 */
final class RecurringWork {

	private final String name;

	private final int threads;

	private final Duration shutdownLimit;

	private final Shard shard;

	private @Nullable ScheduledThreadPoolExecutor executor;

	/**
	 * Creates recurring work that is not running.
	 * @param name the beginning of its threads' names
	 * @param threads the number of threads
	 * @param shutdownLimit the time that a stop waits for work in progress
	 * @param shard the shard that its threads work on
	 */
	RecurringWork(String name, int threads, Duration shutdownLimit, Shard shard) {
		this.name = name;
		this.threads = threads;
		this.shutdownLimit = shutdownLimit;
		this.shard = shard;
	}

	/**
	 * Starts, unless it is running.
	 * @param first the time that each thread waits before its first turn
	 * @param turn does the work, asks whether it is being stopped, and says how long to
	 * wait until the next turn
	 * @return whether it was not running
	 */
	synchronized boolean start(Supplier<Duration> first, Function<BooleanSupplier, Duration> turn) {
		if (this.executor != null) {
			return false;
		}
		ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(this.threads,
				this.shard.daemons(this.name));
		started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.executor = started;
		for (int i = 0; i < this.threads; i++) {
			schedule(started, first.get(), turn);
		}
		return true;
	}

	private synchronized void schedule(ScheduledThreadPoolExecutor owner, Duration delay,
			Function<BooleanSupplier, Duration> turn) {
		if (this.executor == owner) {
			owner.schedule(() -> schedule(owner, turn.apply(owner::isShutdown), turn), delay.toNanos(),
					TimeUnit.NANOSECONDS);
		}
	}

	/**
	 * Stops several works at once, and waits for work in progress. Work that does not end
	 * in time is interrupted.
	 */
	static void stop(List<RecurringWork> works) {
		long start = System.nanoTime();
		works.stream().map(RecurringWork::shutdown).toList().forEach((stopping) -> stopping.await(start));
	}

	private Stopping shutdown() {
		ScheduledThreadPoolExecutor stopped = detach();
		if (stopped != null) {
			stopped.shutdown();
		}
		return new Stopping(stopped, this.shutdownLimit);
	}

	private synchronized @Nullable ScheduledThreadPoolExecutor detach() {
		ScheduledThreadPoolExecutor detached = this.executor;
		this.executor = null;
		return detached;
	}

	synchronized boolean isRunning() {
		return this.executor != null;
	}

	/**
	 * A work that begins no further turn.
	 */
	private record Stopping(@Nullable ScheduledThreadPoolExecutor executor, Duration limit) {

		void await(long since) {
			if (this.executor == null) {
				return;
			}
			try {
				if (this.executor.awaitTermination(this.limit.toNanos() - (System.nanoTime() - since),
						TimeUnit.NANOSECONDS)) {
					return;
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.executor.shutdownNow();
		}

	}

}
