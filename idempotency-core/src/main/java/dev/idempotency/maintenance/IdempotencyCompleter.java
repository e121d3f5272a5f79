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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Recovery;
import dev.idempotency.store.RecoveryRequest;
import dev.idempotency.store.RecoveryRequest.Backoff;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;
import dev.idempotency.store.UnfinishedStore;

/**
 * Completes abandoned requests, on dedicated threads for each shard:
 * <ol>
 * <li>Each thread claims one request that is due, with a new fence, one attempt more and
 * the time of the next one, and completes it. A claimed request never waits for a
 * thread.</li>
 * <li>As long as there are such requests it goes on with the next. When there are none it
 * looks again after the interval.</li>
 * <li>A failure of the store ends the search. The first one of a streak is logged, every
 * one is a notification.</li>
 * </ol>
 * It is stopped before everything else, and waits for running work. Work that does not
 * end in time is interrupted, and its lease given up with those of the node.
 */
public final class IdempotencyCompleter implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(IdempotencyCompleter.class);

	/**
	 * Time that a shutdown waits for running requests: less than Spring Boot's limit for
	 * a shutdown phase, 30 seconds.
	 */
	private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(20);

	private final UnfinishedStore store;

	private final CommandCompletion completion;

	private final NotificationPublisher notifications;

	private final Schedule schedule;

	private final List<OneShard> shards;

	/**
	 * Creates a completer.
	 * @param store the unfinished requests
	 * @param completion completes those that were claimed
	 * @param notifications the listeners
	 * @param schedule the schedule, for each shard
	 * @param shards the databases that have unfinished requests
	 */
	public IdempotencyCompleter(UnfinishedStore store, CommandCompletion completion,
			NotificationPublisher notifications, Schedule schedule, Shards shards) {
		this.store = store;
		this.completion = completion;
		this.notifications = notifications;
		this.schedule = schedule;
		this.shards = Shard.all(shards).stream().map(OneShard::new).toList();
	}

	@Override
	public void start() {
		this.shards.forEach((shard) -> shard.work.start(this.schedule::first, shard::look));
	}

	@Override
	public void stop() {
		RecurringWork.stop(this.shards.stream().map((shard) -> shard.work).toList());
	}

	@Override
	public boolean isRunning() {
		return this.shards.get(0).work.isRunning();
	}

	/**
	 * Returns the end of the last search for requests that did not fail, including those
	 * that found none, on the shard where it was longest ago.
	 * @return the time by the clock of this node, {@code null} if none has yet
	 */
	public @Nullable Instant lastRun() {
		return Pulse.slowest(this.shards.stream().map((shard) -> shard.pulse).toList());
	}

	private boolean completeOne() {
		List<Recovery> claimed = this.store.claimDue(new RecoveryRequest(1, this.completion.lease(),
				this.schedule.after(), this.schedule.maxAttempts(), this.schedule.backoff()));
		claimed.forEach(this.completion::complete);
		return !claimed.isEmpty();
	}

	/**
	 * The schedule of the completer, and its selection of requests.
	 *
	 * @param interval the time between two searches that find nothing, give or take a
	 * tenth
	 * @param after the time after the end of its lease that a request is left to its
	 * sender
	 * @param maxAttempts the number of attempts after which a request needs manual
	 * resolution
	 * @param threads the number of requests completed at the same time
	 * @param backoff the time between two attempts
	 */
	public record Schedule(Duration interval, Duration after, int maxAttempts, int threads, Backoff backoff) {

		Duration first() {
			return Jitter.first(this.interval);
		}

		Duration next() {
			return Jitter.next(this.interval);
		}

	}

	/**
	 * The unfinished requests of one shard.
	 */
	private final class OneShard {

		private final Shard shard;

		private final Pulse pulse = new Pulse(System::nanoTime);

		private final AtomicBoolean failing = new AtomicBoolean();

		private final RecurringWork work;

		OneShard(Shard shard) {
			this.shard = shard;
			this.work = new RecurringWork("idempotency-completer-", IdempotencyCompleter.this.schedule.threads(),
					SHUTDOWN_LIMIT, shard);
		}

		Duration look(BooleanSupplier stopping) {
			try {
				while (!stopping.getAsBoolean() && completeOne()) {
					logger.debug("An unfinished request was claimed");
				}
				this.pulse.beat();
				if (this.failing.compareAndSet(true, false)) {
					LogEvent.COMPLETER_RECOVERED.log(logger,
							this.shard.in("The search for unfinished requests works again"));
				}
			}
			catch (RuntimeException | Error ex) {
				failed(ex);
			}
			return IdempotencyCompleter.this.schedule.next();
		}

		private void failed(Throwable failure) {
			if (this.failing.compareAndSet(false, true)) {
				LogEvent.COMPLETER_FAILED.log(logger,
						this.shard.in("The search for unfinished requests failed; they are kept, and it is retried"),
						failure);
			}
			IdempotencyCompleter.this.notifications.publish(StoreFailed.completing());
		}

	}

}
