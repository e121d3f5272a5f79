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
package dev.idempotency.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock and the random numbers of retries.
 */
interface RetryTime {

	/**
	 * The clock of the machine.
	 */
	RetryTime SYSTEM = new RetryTime() {

	};

	/**
	 * Returns the time of day, which dates of other systems are compared with.
	 */
	default Instant now() {
		return Instant.now();
	}

	/**
	 * Returns the time of a monotonic clock, for elapsed time.
	 */
	default long nanoTime() {
		return System.nanoTime();
	}

	/**
	 * Returns any duration from zero to a longest one.
	 */
	default Duration upTo(Duration longest) {
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(longest.toNanos() + 1));
	}

	/**
	 * Parks the current thread, which may wake up for no reason.
	 * @return {@code false} if the thread was interrupted, which it still is then
	 */
	default boolean pause(Duration duration) {
		long deadline = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = deadline - System.nanoTime()) {
			if (Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(left);
		}
		return !Thread.currentThread().isInterrupted();
	}

}
