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

package dev.idempotency.web.key;

import java.text.ParseException;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.exception.MalformedKeyException;

/**
 * A parser of the header that carries the idempotency key.
 * <p>
 * The header is an RFC 9651 item of type string
 * (draft-ietf-httpapi-idempotency-key-header, section 2.1). {@link HeaderSyntax#LENIENT}
 * also takes a bare value: visible ASCII without a comma, which is the key as it is, not
 * decoded and without parameters. No message repeats the client's value.
 */
final class KeyParser {

	private final HeaderSyntax syntax;

	private final @Nullable Pattern pattern;

	/**
	 * Creates a parser.
	 * @param syntax the accepted spellings
	 * @param pattern the pattern that a whole decoded key has to match, or {@code null}
	 * for anything
	 */
	KeyParser(HeaderSyntax syntax, @Nullable Pattern pattern) {
		this.syntax = syntax;
		this.pattern = pattern;
	}

	/**
	 * Returns the key.
	 * @param headerLines the value of each header line of that name, at least one
	 * @param place their place, as the subject of a message
	 * @return the decoded key
	 * @throws MalformedKeyException if there is no single, well-formed key
	 */
	String parse(List<String> headerLines, String place) {
		Assert.notEmpty(headerLines, "There must be at least one header line");
		if (headerLines.size() > 1) {
			throw malformed(place, "was sent more than once; send one key for each request");
		}
		String value = trimSpaces(headerLines.get(0));
		if (value.isEmpty()) {
			throw malformed(place, "is empty");
		}
		String key = isQuoted(value) ? quoted(value, place) : bare(value, place);
		checkContent(key, place);
		return key;
	}

	/**
	 * Checks a key that does not come from a header and is taken as it is.
	 * @param key the key
	 * @return the key
	 * @throws MalformedKeyException if it is empty, too long or does not match
	 */
	String validate(String key) {
		checkContent(key, "The idempotency key");
		return key;
	}

	private boolean isQuoted(String value) {
		return this.syntax == HeaderSyntax.STRICT || value.charAt(0) == '"';
	}

	private String quoted(String value, String place) {
		try {
			return new StructuredFieldParser(value).stringItem();
		}
		catch (ParseException ex) {
			throw malformed(place, "is not a valid RFC 9651 string: " + ex.getMessage());
		}
	}

	private String bare(String value, String place) {
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c == ',') {
				// Proxies join two header lines with a comma: RFC 9110, section 5.3
				throw malformed(place, "holds a comma: send one key, or put a key with a comma into double quotes");
			}
			if (c == ' ') {
				throw malformed(place, "holds a space: put a key with a space into double quotes");
			}
			if (c < 0x21 || c > 0x7E) {
				throw malformed(place, "holds a character that is not visible ASCII");
			}
		}
		return value;
	}

	private void checkContent(String key, String place) {
		if (trimSpaces(key).isEmpty()) {
			throw malformed(place, "is empty");
		}
		if (key.length() > KeyReader.MAX_LENGTH) {
			throw malformed(place, "is too long: a key has at most " + KeyReader.MAX_LENGTH + " characters");
		}
		if (this.pattern != null && !this.pattern.matcher(key).matches()) {
			throw malformed(place, "does not have the expected format: a key matches " + this.pattern.pattern());
		}
	}

	private MalformedKeyException malformed(String place, String what) {
		return new MalformedKeyException(place + " " + what);
	}

	// Neither trim() nor strip(): both would also remove control characters
	private static String trimSpaces(String value) {
		return StringUtils.trimTrailingCharacter(StringUtils.trimLeadingCharacter(value, ' '), ' ');
	}

}
