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

import java.nio.charset.Charset;
import java.text.ParseException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.idempotency.web.key.TextCursor;

/**
 * The canonical spelling of a media type (RFC 9110, section 8.3.1): names in lower case,
 * parameters sorted, without quotes and spaces, the charset by its preferred name. The
 * boundary of a multipart type is left out, as it changes with every attempt.
 * <p>
 * Spring's {@code MimeType} rejects a charset that this JVM does not know.
 *
 * @param type the type and subtype in lower case, or the text as it was sent if it is not
 * a media type
 * @param parameters the parameters, or {@code null} if it is not a media type
 */
record CanonicalMediaType(String type, @Nullable Map<String, String> parameters) {

	private static final String CHARSET = "charset";

	/**
	 * Reads a media type; any other text is taken as it is.
	 */
	static CanonicalMediaType of(String text) {
		try {
			return parse(new TextCursor(text));
		}
		catch (ParseException ex) {
			return new CanonicalMediaType(text, null);
		}
	}

	static void write(@Nullable CanonicalMediaType mediaType, CanonicalBuffer out) {
		if (mediaType == null) {
			out.put(0);
		}
		else {
			mediaType.write(out);
		}
	}

	private void write(CanonicalBuffer out) {
		out.put((this.parameters == null) ? 1 : 2);
		out.putText(this.type);
		if (this.parameters != null) {
			out.putInt(this.parameters.size());
			this.parameters.forEach((name, value) -> {
				out.putText(name);
				out.putText(value);
			});
		}
	}

	/**
	 * Returns whether a body of this type is a JSON text in UTF-8 (RFC 8259, section 8.1,
	 * and RFC 6839, section 3.1). With another charset the same bytes mean another text.
	 */
	boolean isJson() {
		return this.parameters != null && this.parameters.getOrDefault(CHARSET, "UTF-8").equals("UTF-8")
				&& (this.type.equals("application/json")
						|| (this.type.startsWith("application/") && this.type.endsWith("+json")));
	}

	private static CanonicalMediaType parse(TextCursor cursor) throws ParseException {
		skipSpaces(cursor);
		String type = token(cursor);
		cursor.require(cursor.consume('/'), "a slash is expected");
		String subtype = token(cursor);
		Map<String, String> parameters = new TreeMap<>();
		skipSpaces(cursor);
		while (cursor.consume(';')) {
			skipSpaces(cursor);
			if (cursor.peek() != ';' && !cursor.atEnd()) {
				String name = token(cursor);
				cursor.require(cursor.consume('='), "an equals sign is expected");
				String value = (cursor.peek() == '"') ? quotedString(cursor) : unquoted(cursor);
				String previous = parameters.put(name, name.equals(CHARSET) ? charset(value) : value);
				cursor.require(previous == null, "a parameter may occur once");
				skipSpaces(cursor);
			}
		}
		cursor.require(cursor.atEnd(), "the end is expected");
		if (type.equals("multipart")) {
			parameters.remove("boundary");
		}
		CanonicalMediaType mediaType = new CanonicalMediaType(type + "/" + subtype, parameters);
		if (mediaType.isJson()) {
			// The only charset of JSON
			parameters.remove(CHARSET);
		}
		return mediaType;
	}

	private static String token(TextCursor cursor) throws ParseException {
		String token = cursor.takeWhile(TextCursor::isTokenCharacter);
		cursor.require(!token.isEmpty(), "a token is expected");
		return token.toLowerCase(Locale.ROOT);
	}

	// Boundaries with '=', ':' or '/' are often sent without the quotes they need
	private static String unquoted(TextCursor cursor) throws ParseException {
		String value = cursor.takeWhile((c) -> c > 0x20 && c < 0x7F && c != ';' && c != '"');
		cursor.require(!value.isEmpty(), "a value is expected");
		return value;
	}

	/** RFC 9110, section 5.6.4. */
	private static String quotedString(TextCursor cursor) throws ParseException {
		cursor.consume('"');
		StringBuilder result = new StringBuilder();
		while (!cursor.consume('"')) {
			cursor.consume('\\');
			cursor.require(!cursor.atEnd(), "the closing double quote is missing");
			result.append(cursor.next());
		}
		return result.toString();
	}

	private static String charset(String name) {
		try {
			return Charset.forName(name).name();
		}
		catch (IllegalArgumentException ex) {
			return name.toLowerCase(Locale.ROOT);
		}
	}

	private static void skipSpaces(TextCursor cursor) {
		cursor.takeWhile((c) -> c == ' ' || c == '\t');
	}

}
