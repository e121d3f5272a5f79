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

/**
 * The pauses between the attempts of something that fails.
 *
 * @param initial after the first failure
 * @param multiplier by what it grows with each further failure, from 1
 * @param max the longest
 */
public record Backoff(Duration initial, double multiplier, Duration max) {

	/**
	 * The time until the next attempt.
	 * @param failures how many attempts have failed, from 1
	 * @return the time
	 */
	public Duration after(int failures) {
		double millis = this.initial.toMillis() * Math.pow(this.multiplier, failures - 1);
		return (millis < this.max.toMillis()) ? Duration.ofMillis((long) millis) : this.max;
	}

}
