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
package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

import dev.idempotency.exception.InvalidIdempotentException;

import static dev.idempotency.autoconfigure.PropertyRules.TOKEN;
import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;
import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;
import static dev.idempotency.autoconfigure.PropertyRules.requireSize;

/**
 * The rules for values of properties, with messages that name the correction.
 */
public final class PropertyRules {

	public static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	/**
	 * Durations of centuries do not fit into nanoseconds, nor into the times of a
	 * database.
	 */
	private static final Duration TEN_YEARS = Duration.ofDays(3650);

	private PropertyRules() {
	}

	public static void require(boolean condition, String property, @Nullable Object value, String action) {
		require(condition, property, value, "", action);
	}

	private static void require(boolean condition, String property, @Nullable Object value, String problem,
			String action) {
		if (!condition) {
			String text = (value instanceof Enum<?> constant) ? constant.name().toLowerCase(Locale.ROOT)
					: String.valueOf(value);
			String name = "idempotency." + property;
			throw new InvalidIdempotentException("The property " + name + " is '" + text + "'" + problem + ".", action,
					name);
		}
	}

	public static void requirePositive(Duration duration, String property, String example) {
		require(!duration.isNegative() && !duration.isZero(), property, duration, ", which is not positive",
				"Write a positive duration such as " + example + ".");
		require(duration.compareTo(TEN_YEARS) <= 0, property, duration, "Write at most 3650d.");
	}

	static void requireZeroOrMore(Duration duration, String property, String example) {
		requireBetween(duration, Duration.ZERO, TEN_YEARS, property,
				"Write a duration such as " + example + ", or 0. The longest is 3650d.");
	}

	public static void requireBetween(Duration duration, Duration least, Duration most, String property,
			String action) {
		require(duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0, property, duration, action);
	}

	public static void requireSize(DataSize size, String property, String example) {
		require(!size.isNegative() && size.toBytes() > 0 && size.toBytes() < Integer.MAX_VALUE - 16, property, size,
				"Write a size between 1B and 2047MB, such as " + example + ".");
	}

	/**
	 * Decodes a secret in Base64. Exceptions of callers omit it: it may be a valid secret
	 * of another system.
	 * @return the bytes, empty if the secret is not Base64
	 */
	public static byte[] decodeBase64(String secret) {
		try {
			return Base64.getDecoder().decode(secret.trim());
		}
		catch (IllegalArgumentException ex) {
			return new byte[0];
		}
	}

}
