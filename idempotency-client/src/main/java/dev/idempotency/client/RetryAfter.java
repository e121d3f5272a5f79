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
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Reads {@code Retry-After} (RFC 9110, section 10.2.3): seconds, or a date in one of the
 * three formats of section 5.6.7.
 */
final class RetryAfter {

	private static final Pattern SECONDS = Pattern.compile("[0-9]+");

	/**
	 * Longer than any client waits, without an overflow in calculations.
	 */
	private static final Duration LONG = Duration.ofDays(3650);

	private RetryAfter() {
	}

	/**
	 * Returns the delay that the other system asks for.
	 * @return the duration, zero for a date in the past, or {@code null} if there is none
	 * or it cannot be parsed
	 */
	static @Nullable Duration of(HttpHeaders headers, Instant now) {
		String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
		if (value == null) {
			return null;
		}
		if (SECONDS.matcher(value.strip()).matches()) {
			return seconds(value.strip());
		}
		try {
			Duration wait = Duration.between(now, date(value));
			return wait.isNegative() ? Duration.ZERO : wait;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * The format of asctime pads the day with a space, which Spring's parser does not
	 * support.
	 */
	private static Instant date(String value) {
		HttpHeaders padded = new HttpHeaders();
		padded.set(HttpHeaders.RETRY_AFTER, value.replace("  ", " 0"));
		return Instant.ofEpochMilli(padded.getFirstDate(HttpHeaders.RETRY_AFTER));
	}

	private static Duration seconds(String digits) {
		try {
			long seconds = Long.parseLong(digits);
			return (seconds < LONG.toSeconds()) ? Duration.ofSeconds(seconds) : LONG;
		}
		catch (NumberFormatException ex) {
			return LONG;
		}
	}

}
