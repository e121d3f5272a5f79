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
package dev.idempotency.web.fingerprint;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The normal form of a path (RFC 3986 section 6.2.2): a character that needs no escape
 * has none, and the digits of all others are in upper case.
 */
final class CanonicalPath {

	private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");

	private CanonicalPath() {
	}

	static String of(String path) {
		return (path.indexOf('%') < 0) ? path
				: ESCAPE.matcher(path).replaceAll((escape) -> Matcher.quoteReplacement(normal(escape.group())));
	}

	private static String normal(String escape) {
		char character = (char) Integer.parseInt(escape.substring(1), 16);
		return isUnreserved(character) ? String.valueOf(character) : escape.toUpperCase(Locale.ROOT);
	}

	private static boolean isUnreserved(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || "-._~".indexOf(character) >= 0;
	}

}
