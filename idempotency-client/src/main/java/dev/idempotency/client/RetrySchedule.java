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

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The start times of the attempts of one request: exponential backoff with full jitter
 * (<a href=
 * "https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter">
 * Amazon Builders' Library</a>), and not before the time that the other system asks for.
 */
final class RetrySchedule {

	private final ClientSettings.Retry retry;

	private final RetryTime time;

	private final long start;

	private int attempts;

	RetrySchedule(ClientSettings.Retry retry, RetryTime time) {
		this.retry = retry;
		this.time = time;
		this.start = time.nanoTime();
	}

	/**
	 * The pause after an attempt without an answer.
	 * @return the pause, or {@code null} if there is no further attempt
	 */
	@Nullable Duration next() {
		return next(Duration.ZERO);
	}

	/**
	 * The pause after an attempt whose answer is to be tried again. One that cannot be
	 * waited for is not cut short: the answer then goes to the caller.
	 * @param headers the answer's headers
	 * @return the pause, or {@code null} if there is no further attempt
	 */
	@Nullable Duration next(HttpHeaders headers) {
		Duration asked = RetryAfter.of(headers, this.time.now());
		return next((asked != null) ? asked : Duration.ZERO);
	}

	private @Nullable Duration next(Duration least) {
		if (++this.attempts >= this.retry.maxAttempts()) {
			return null;
		}
		// Clients with the same delay should not all retry at once.
		Duration pause = least.plus(this.time.upTo(longest()));
		Duration elapsed = Duration.ofNanos(this.time.nanoTime() - this.start);
		return (elapsed.plus(pause).compareTo(this.retry.total()) < 0) ? pause : null;
	}

	private Duration longest() {
		Duration longest = this.retry.initial();
		for (int doubled = 1; doubled < this.attempts && longest.compareTo(this.retry.max()) < 0; doubled++) {
			longest = longest.multipliedBy(2);
		}
		return (longest.compareTo(this.retry.max()) < 0) ? longest : this.retry.max();
	}

}
