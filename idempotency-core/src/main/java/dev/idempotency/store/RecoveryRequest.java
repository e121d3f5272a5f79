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
package dev.idempotency.store;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A selection of the unfinished requests that are claimed in order to be completed.
 *
 * @param limit the maximum number
 * @param lease the duration of the claims unless they are extended
 * @param after the time after the end of its lease that a request is left to its sender
 * @param maxAttempts the number of attempts from which on a request is not claimed
 * @param backoff the pauses before a request that fails again is due
 */
public record RecoveryRequest(int limit, Duration lease, Duration after, int maxAttempts, Backoff backoff) {

	/**
	 * The pauses between the attempts of something that fails:
	 * {@code initial * multiplier ^ (failures - 1)}, at most {@code max}.
	 *
	 * @param initial after the first failure
	 * @param multiplier the factor for each further failure, at least 1
	 * @param max the longest pause
	 */
	public record Backoff(Duration initial, double multiplier, Duration max) {

		/**
		 * Returns the time until the next attempt.
		 * @param failures how many attempts have failed, from 1
		 * @return the time
		 */
		public Duration after(int failures) {
			double millis = this.initial.toMillis() * Math.pow(this.multiplier, failures - 1);
			return (millis < this.max.toMillis()) ? Duration.ofMillis((long) millis) : this.max;
		}

		/**
		 * Returns the time until the next attempt, randomly up to a fifth less, so that
		 * what failed together is not repeated together.
		 * @param failures how many attempts have failed, from 1
		 * @return the time
		 */
		public Duration spreadAfter(int failures) {
			double part = ThreadLocalRandom.current().nextDouble(0.8, 1);
			return Duration.ofNanos((long) (after(failures).toNanos() * part));
		}

	}

}
