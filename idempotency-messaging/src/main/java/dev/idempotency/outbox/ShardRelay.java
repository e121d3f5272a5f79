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
package dev.idempotency.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Shard;

/**
 * Relays the events of one shard, on a dedicated thread.
 */
final class ShardRelay {

	private static final Log logger = LogFactory.getLog(EventRelay.class);

	private final Semaphore signal = new Semaphore(0);

	private final Shard shard;

	private final RelayTurn turn;

	private final Duration pollingInterval;

	private final Consumer<List<IdempotencyNotification>> listener;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Instant lastRun;

	private volatile Duration oldest = Duration.ZERO;

	private boolean failing;

	/**
	 * Creates a relay that does nothing before it is started.
	 * @param shard the shard
	 * @param turn relays some of its events
	 * @param pollingInterval time between two searches for events of other nodes
	 * @param listener receives the results of each turn
	 */
	ShardRelay(Shard shard, RelayTurn turn, Duration pollingInterval,
			Consumer<List<IdempotencyNotification>> listener) {
		this.shard = shard;
		this.turn = turn;
		this.pollingInterval = pollingInterval;
		this.listener = listener;
	}

	Shard shard() {
		return this.shard;
	}

	@Nullable Instant lastRun() {
		return this.lastRun;
	}

	/**
	 * Returns the age of the oldest event at the last turn.
	 */
	Duration oldest() {
		return this.oldest;
	}

	/**
	 * Searches for events now.
	 */
	void wake() {
		this.signal.release();
	}

	synchronized void start() {
		if (this.thread == null) {
			Thread started = this.shard.daemons("idempotency-outbox-").newThread(this::run);
			this.thread = started;
			started.start();
		}
	}

	private void run() {
		while (isCurrent()) {
			if (!relaySome()) {
				awaitSignal();
			}
		}
	}

	private boolean isCurrent() {
		return Thread.currentThread() == this.thread;
	}

	/**
	 * Relays one turn, and returns whether there may be more to do immediately.
	 */
	private boolean relaySome() {
		try {
			List<IdempotencyNotification> outcomes = this.turn.run();
			this.oldest = this.turn.advance();
			this.lastRun = Instant.now();
			this.listener.accept(outcomes);
			if (this.failing) {
				this.failing = false;
				LogEvent.OUTBOX_RECOVERED.log(logger, this.shard.in("Events can be relayed again"));
			}
			return !outcomes.isEmpty();
		}
		catch (RuntimeException | Error ex) {
			this.turn.position().renew();
			if (!this.failing && isCurrent()) {
				this.failing = true;
				LogEvent.OUTBOX_FAILED.log(logger,
						this.shard.in("Events cannot be relayed; they stay in the outbox, and the relay is retried"),
						ex);
			}
			return false;
		}
	}

	private void awaitSignal() {
		try {
			if (this.signal.tryAcquire(this.pollingInterval.toNanos(), TimeUnit.NANOSECONDS)) {
				this.signal.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Ends the relay after the current turn.
	 * @return its thread, {@code null} if it was not running
	 */
	synchronized @Nullable Thread detach() {
		Thread detached = this.thread;
		this.thread = null;
		this.signal.release();
		return detached;
	}

	boolean isRunning() {
		return this.thread != null;
	}

}
