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

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The start times of the attempts of one request: exponential backoff with full jitter
 * (<a href=
 * "https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter">
 * Amazon Builders' Library</a>), and not before the time that the other system asks for.
 */
final class RetrySchedule {

	private static final Pattern SECONDS = Pattern.compile("[0-9]+");

	/**
	 * Longer than any client waits, without an overflow in calculations.
	 */
	private static final Duration LONG = Duration.ofDays(3650);

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
	 * Returns the pause after an attempt without a response.
	 * @return the pause, or {@code null} if there is no further attempt
	 */
	@Nullable Duration next() {
		return next(Duration.ZERO);
	}

	/**
	 * Returns the pause after an attempt with a retryable response. If the time that the
	 * other system asks for is too long, there is no further attempt, and the caller gets
	 * the response.
	 * @param headers the response's headers
	 * @return the pause, or {@code null} if there is no further attempt
	 */
	@Nullable Duration next(HttpHeaders headers) {
		Duration asked = retryAfter(headers, this.time.now());
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

	/**
	 * Reads {@code Retry-After} (RFC 9110, section 10.2.3): seconds, or a date in one of
	 * the three formats of section 5.6.7. A date is one of the other system's clock, as
	 * is the {@code Date} of its response (section 6.6.1).
	 * @param now the time of this system, for a response without a {@code Date}
	 * @return the duration, zero for a date in the past, or {@code null} if there is none
	 * or it cannot be parsed
	 */
	static @Nullable Duration retryAfter(HttpHeaders headers, Instant now) {
		String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
		if (value == null) {
			return null;
		}
		if (SECONDS.matcher(value.strip()).matches()) {
			BigInteger longest = BigInteger.valueOf(LONG.toSeconds());
			return Duration.ofSeconds(new BigInteger(value.strip()).min(longest).longValue());
		}
		Instant date = date(value);
		if (date == null) {
			return null;
		}
		Instant answered = date(headers.getFirst(HttpHeaders.DATE));
		Duration wait = Duration.between((answered != null) ? answered : now, date);
		return wait.isNegative() ? Duration.ZERO : wait;
	}

	/**
	 * The format of asctime pads the day with a space, which Spring's parser does not
	 * support.
	 */
	private static @Nullable Instant date(@Nullable String value) {
		if (value == null) {
			return null;
		}
		HttpHeaders padded = new HttpHeaders();
		padded.set(HttpHeaders.DATE, value.replace("  ", " 0"));
		try {
			return Instant.ofEpochMilli(padded.getFirstDate(HttpHeaders.DATE));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
