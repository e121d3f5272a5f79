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
package dev.idempotency.engine.execution;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.logging.LogEvent;

/**
 * Logs the reason why callers get 503, once for each streak of failures. Intermittent
 * failures belong to one streak, which ends with a success after a quiet time.
 */
final class StoreFailureLog {

	private static final Log logger = LogFactory.getLog(StoreFailureLog.class);

	static final Duration QUIET = Duration.ofSeconds(10);

	private final LongSupplier nanoTime;

	private final AtomicBoolean failing = new AtomicBoolean();

	private volatile long lastFailure;

	StoreFailureLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	void failed(String operation, StorePhase phase, Throwable cause) {
		this.lastFailure = this.nanoTime.getAsLong();
		if (this.failing.compareAndSet(false, true)) {
			LogEvent.STORE_UNAVAILABLE.log(logger, "The store failed, callers get 503 [" + operation + ", " + phase
					+ "]; further failures are counted and not logged until the store works again", cause);
		}
	}

	void succeeded() {
		if (this.failing.get() && this.nanoTime.getAsLong() - this.lastFailure >= QUIET.toNanos()
				&& this.failing.compareAndSet(true, false)) {
			LogEvent.STORE_AVAILABLE.log(logger, "The store works again");
		}
	}

}
