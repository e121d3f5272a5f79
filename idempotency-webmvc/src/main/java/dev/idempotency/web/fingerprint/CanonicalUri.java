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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import dev.idempotency.web.endpoint.SensitiveNames;

/**
 * A writer of the path and the query of a URI (RFC 3986) in their canonical form.
 */
final class CanonicalUri {

	private static final int MISSING = 0;

	private static final int DECODED = 1;

	private static final int RAW = 2;

	private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");

	private static final Pattern UNRESERVED = Pattern.compile("[a-zA-Z0-9._~-]");

	private CanonicalUri() {
	}

	/**
	 * Writes a path (section 6.2.2): a character that needs no escape has none, and the
	 * digits of all others are in upper case.
	 */
	static void writePath(String path, CanonicalBuffer out) {
		out.putText((path.indexOf('%') < 0) ? path
				: ESCAPE.matcher(path).replaceAll((escape) -> Matcher.quoteReplacement(normal(escape.group()))));
	}

	private static String normal(String escape) {
		String character = Character.toString(Integer.parseInt(escape.substring(1), 16));
		return UNRESERVED.matcher(character).matches() ? character : escape.toUpperCase(Locale.ROOT);
	}

	/**
	 * Writes a query (section 3.4) as parameters: sorted by name, with the values of one
	 * name in their order. Percent escapes and {@code +} are decoded to bytes, so that no
	 * charset has to be guessed.
	 */
	static void writeQuery(@Nullable String query, CanonicalBuffer out) {
		List<Parameter> parameters = parse(query);
		// A stable sort: the values of one name stay in their order
		parameters.sort(Comparator.comparing(Parameter::name));
		out.putInt(parameters.size());
		for (Parameter parameter : parameters) {
			parameter.name().write(out);
			parameter.value().write(out);
		}
	}

	private static List<Parameter> parse(@Nullable String query) {
		List<Parameter> parameters = new ArrayList<>();
		for (String pair : StringUtils.tokenizeToStringArray(query, "&", false, true)) {
			int equals = pair.indexOf('=');
			Text name = decode((equals < 0) ? pair : pair.substring(0, equals));
			Text value = (equals < 0) ? new Text(MISSING, new byte[0]) : decode(pair.substring(equals + 1));
			if (!name.isCredential()) {
				parameters.add(new Parameter(name, value));
			}
		}
		return parameters;
	}

	private static Text decode(String text) {
		if (text.chars().allMatch((character) -> character <= 0x7E)) {
			try {
				String decoded = StringUtils.uriDecode(text.replace('+', ' '), StandardCharsets.ISO_8859_1);
				return new Text(DECODED, decoded.getBytes(StandardCharsets.ISO_8859_1));
			}
			catch (IllegalArgumentException ex) {
				// A malformed escape: the text counts as it is.
			}
		}
		CanonicalBuffer bytes = new CanonicalBuffer(4 + 3 * text.length());
		bytes.putText(text);
		return new Text(RAW, Arrays.copyOf(bytes.array(), bytes.size()));
	}

	private record Parameter(Text name, Text value) {

	}

	/**
	 * A name or value. One that could not be decoded never equals one that could.
	 */
	private record Text(int kind, byte[] bytes) implements Comparable<Text> {

		boolean isCredential() {
			return this.kind == DECODED
					&& SensitiveNames.isCredentialParameter(new String(this.bytes, StandardCharsets.ISO_8859_1));
		}

		void write(CanonicalBuffer out) {
			out.put(this.kind);
			out.putBytes(this.bytes);
		}

		@Override
		public int compareTo(Text other) {
			int result = Integer.compare(this.kind, other.kind);
			return (result != 0) ? result : Arrays.compareUnsigned(this.bytes, other.bytes);
		}

	}

}
