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

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;

/**
 * The accepted format of keys.
 *
 * @param minLength Smallest number of characters of a key.
 * @param maxLength Largest number of characters of a key.
 * @param minLengthAnonymous Smallest number of characters of a key of an anonymous
 * caller, with idempotency.anonymous=share: a caller who guesses a key of that account
 * gets its answer.
 * @param pattern Regular expression that the whole key has to match. None by default.
 */
public record KeyProperties(@DefaultValue("1") int minLength, @DefaultValue("255") int maxLength,
		@DefaultValue("16") int minLengthAnonymous, @Nullable Pattern pattern) {

	static final KeyProperties DEFAULTS = new KeyProperties(1, 255, 16, null);

	public KeyProperties {
		require(minLength >= 1, "key.min-length", minLength, "Write a number from 1.");
		require(maxLength >= minLength && maxLength <= 4096, "key.max-length", maxLength,
				"Write a number from idempotency.key.min-length (" + minLength + ") to 4096.");
		require(minLengthAnonymous >= 1 && minLengthAnonymous <= 4096, "key.min-length-anonymous", minLengthAnonymous,
				"Write a number from 1 to 4096, such as 16.");
	}

}
