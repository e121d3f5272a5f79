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
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The canonical spelling of a media type (RFC 9110, section 8.3.1): names in lower case,
 * parameters sorted, without quotes and spaces, the charset by its preferred name. The
 * boundary of a multipart type is left out, as it changes with every attempt.
 * <p>
 * Spring's {@code MimeType} rejects a charset that this JVM does not know.
 *
 * @param type the type and subtype in lower case, or the text as it was sent if it is not
 * a media type, {@code null} if none was sent
 * @param parameters the parameters, or {@code null} if it is not a media type
 */
record CanonicalMediaType(@Nullable String type, @Nullable Map<String, String> parameters) {

	private static final int MISSING = 0;

	private static final int TEXT = 1;

	private static final int PARSED = 2;

	private static final String CHARSET = "charset";

	private static final String TOKEN = "[a-zA-Z0-9!#$%&'*+.^_`|~-]+";

	private static final Pattern TYPE = Pattern.compile("[ \t]*(" + TOKEN + "/" + TOKEN + ")[ \t]*");

	/**
	 * The content of a quoted string (RFC 9110, section 5.6.4), which may be long:
	 * possessive, since a group that can be tried again is matched by recursion.
	 */
	private static final String QUOTED = "(?:[^\"\\\\]|\\\\.)*+";

	/**
	 * A value without quotes. Boundaries with '=', ':' or '/' are often sent without the
	 * quotes that they need.
	 */
	private static final String UNQUOTED = "[!-~&&[^\";]]+";

	private static final Pattern PARAMETER = Pattern
		.compile(";[ \t]*(?:(" + TOKEN + ")=(?:\"(" + QUOTED + ")\"|(" + UNQUOTED + "))[ \t]*)?", Pattern.DOTALL);

	private static final Pattern QUOTED_PAIR = Pattern.compile("\\\\(.)", Pattern.DOTALL);

	/**
	 * Reads a media type; any other text is taken as it is.
	 */
	static CanonicalMediaType of(@Nullable String text) {
		Matcher start = TYPE.matcher((text != null) ? text : "");
		Map<String, String> parameters = (text != null && start.lookingAt()) ? parameters(text, start.end()) : null;
		if (parameters == null) {
			return new CanonicalMediaType(text, null);
		}
		String type = start.group(1).toLowerCase(Locale.ROOT);
		if (type.startsWith("multipart/")) {
			parameters.remove("boundary");
		}
		CanonicalMediaType mediaType = new CanonicalMediaType(type, parameters);
		if (mediaType.isJson()) {
			// The only charset of JSON
			parameters.remove(CHARSET);
		}
		return mediaType;
	}

	/**
	 * Reads parameters, each of which may occur once.
	 * @return the parameters by name, {@code null} if the text is something else
	 */
	private static @Nullable Map<String, String> parameters(String text, int start) {
		Map<String, String> parameters = new TreeMap<>();
		Matcher parameter = PARAMETER.matcher(text).region(start, text.length());
		for (; parameter.lookingAt(); parameter.region(parameter.end(), text.length())) {
			if (parameter.group(1) != null) {
				String name = parameter.group(1).toLowerCase(Locale.ROOT);
				String quoted = parameter.group(2);
				String value = (quoted != null) ? QUOTED_PAIR.matcher(quoted).replaceAll("$1") : parameter.group(3);
				if (parameters.put(name, name.equals(CHARSET) ? charset(value) : value) != null) {
					return null;
				}
			}
		}
		return (parameter.regionStart() == text.length()) ? parameters : null;
	}

	private static String charset(String name) {
		try {
			return Charset.forName(name).name();
		}
		catch (IllegalArgumentException ex) {
			return name.toLowerCase(Locale.ROOT);
		}
	}

	/**
	 * Returns whether a body of this type is a JSON text in UTF-8 (RFC 8259, section 8.1,
	 * and RFC 6839, section 3.1). With another charset the same bytes mean another text.
	 */
	boolean isJson() {
		return this.type != null && this.parameters != null
				&& this.parameters.getOrDefault(CHARSET, "UTF-8").equals("UTF-8")
				&& (this.type.equals("application/json")
						|| (this.type.startsWith("application/") && this.type.endsWith("+json")));
	}

	void write(CanonicalBuffer out) {
		if (this.type == null) {
			out.put(MISSING);
			return;
		}
		out.put((this.parameters == null) ? TEXT : PARSED);
		out.putText(this.type);
		if (this.parameters != null) {
			out.putInt(this.parameters.size());
			this.parameters.forEach((name, value) -> {
				out.putText(name);
				out.putText(value);
			});
		}
	}

}
