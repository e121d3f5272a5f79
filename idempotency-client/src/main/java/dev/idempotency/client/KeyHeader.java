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

import java.util.regex.Pattern;

import dev.idempotency.HeaderSyntax;

/**
 * The header field that carries the key.
 *
 * @param name its name
 * @param syntax {@link HeaderSyntax#LENIENT} for the bare key, as most systems expect it;
 * {@link HeaderSyntax#STRICT} for an RFC 9651 string
 */
public record KeyHeader(String name, HeaderSyntax syntax) {

	private static final Pattern KEY = Pattern.compile("[\\x21-\\x7E]{1,255}");

	/**
	 * Formats a key as the value of the field.
	 */
	String value(String key) {
		return switch (this.syntax) {
			case LENIENT -> key;
			case STRICT -> '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
		};
	}

	/**
	 * Returns the key if a header can carry it. The exception does not show the key,
	 * which may be a secret.
	 */
	static String requireKey(String key) {
		if (!KEY.matcher(key).matches()) {
			throw new IllegalArgumentException("An idempotency key is 1 to 255 visible ASCII characters");
		}
		return key;
	}

}
