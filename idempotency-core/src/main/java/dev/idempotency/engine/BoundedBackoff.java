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
import java.util.concurrent.locks.LockSupport;

/**
 * A bounded wait with growing pauses.
 */
final class BoundedBackoff {

	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(10).toNanos();

	private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(250).toNanos();

	private final long deadline;

	private long nextPause = FIRST_PAUSE_NANOS;

	BoundedBackoff(Duration limit) {
		this.deadline = System.nanoTime() + limit.toNanos();
	}

	/**
	 * Pauses, at most until the limit.
	 * @return {@code false} if the limit is reached or the thread is interrupted
	 */
	boolean pause() {
		long left = this.deadline - System.nanoTime();
		if (left <= 0 || Thread.currentThread().isInterrupted()) {
			return false;
		}
		LockSupport.parkNanos(Math.min(left, this.nextPause));
		this.nextPause = Math.min(2 * this.nextPause, LONGEST_PAUSE_NANOS);
		return !Thread.currentThread().isInterrupted();
	}

}
