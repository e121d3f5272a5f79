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

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.web.endpoint.WebSettings;

/**
 * A reader of keys: from the place that the application's {@link KeyResolver} names, or
 * else from the request header or the hidden field of an HTML form. The field has to be
 * in the form's body, because queries are in access logs and in the Referer of other
 * requests.
 * <p>
 * The value is an RFC 9651 item of type string
 * (draft-ietf-httpapi-idempotency-key-header, section 2.1). {@link HeaderSyntax#LENIENT}
 * also takes a bare value: visible ASCII without a comma, which is the key as it is, not
 * decoded and without parameters. No message repeats the client's value.
 */
public final class KeyReader {

	/**
	 * The greatest number of characters of a key, as Stripe has it.
	 */
	public static final int MAX_LENGTH = 255;

	/**
	 * The name of the form field that carries the key of an HTML form.
	 */
	public static final String FORM_FIELD = "_idempotency_key";

	private final String header;

	private final HeaderSyntax syntax;

	private final @Nullable Pattern pattern;

	private final @Nullable KeyResolver own;

	/**
	 * Creates a reader.
	 * @param settings the place and the syntax of keys
	 * @param own the application's resolver, {@code null} for the place in the settings
	 */
	public KeyReader(WebSettings settings, @Nullable KeyResolver own) {
		this(settings.header(), settings.syntax(), settings.keyPattern(), own);
	}

	KeyReader(String header, HeaderSyntax syntax, @Nullable Pattern pattern, @Nullable KeyResolver own) {
		this.header = header;
		this.syntax = syntax;
		this.pattern = pattern;
		this.own = own;
	}

	/**
	 * Reads the key.
	 * @return the key's value, {@code null} if the request carries none
	 * @throws MalformedKeyException if there is no single, well-formed key
	 */
	public @Nullable String read(HttpServletRequest request) {
		List<String> values = values(request);
		if (values.isEmpty()) {
			return null;
		}
		try {
			return parse(values);
		}
		catch (ParseException ex) {
			throw new MalformedKeyException("The " + place(request) + " " + ex.getMessage());
		}
	}

	/**
	 * Checks a key that does not come from a request and is taken as it is.
	 * @param key the key
	 * @return the key
	 * @throws MalformedKeyException if it is empty, too long or does not match
	 */
	public String validate(String key) {
		try {
			return checked(key);
		}
		catch (ParseException ex) {
			throw new MalformedKeyException("The idempotency key " + ex.getMessage());
		}
	}

	/**
	 * Returns whether a request carries a key, which may be malformed.
	 */
	public boolean hasKey(HttpServletRequest request) {
		return !values(request).isEmpty();
	}

	private List<String> values(HttpServletRequest request) {
		if (this.own != null) {
			return this.own.resolve(request);
		}
		List<String> lines = Collections.list(request.getHeaders(this.header));
		return (lines.isEmpty() && isForm(request.getContentType())) ? fieldValues(request) : lines;
	}

	/**
	 * Returns the values of the field that come from the body. The container puts the
	 * values from the query before them (Servlet 6.1 section 3.1).
	 */
	private List<String> fieldValues(HttpServletRequest request) {
		String[] values = request.getParameterValues(FORM_FIELD);
		if (values == null) {
			return List.of();
		}
		String query = request.getQueryString();
		long inQuery = (query != null)
				? Arrays.stream(query.split("&")).filter((pair) -> parameterName(pair).equals(FORM_FIELD)).count() : 0;
		return Arrays.stream(values).skip(inQuery).map((value) -> Objects.requireNonNullElse(value, "")).toList();
	}

	/**
	 * Returns whether the key of a request is in a field of a form, in the absence of a
	 * header.
	 */
	public boolean isField(HttpServletRequest request) {
		return this.own == null && request.getHeader(this.header) == null && isForm(request.getContentType());
	}

	private static boolean isForm(@Nullable String type) {
		return StringUtils.startsWithIgnoreCase(type, MediaType.APPLICATION_FORM_URLENCODED_VALUE)
				|| StringUtils.startsWithIgnoreCase(type, MediaType.MULTIPART_FORM_DATA_VALUE);
	}

	public MissingKeyException missing(HttpServletRequest request) {
		return new MissingKeyException(
				(this.own == null) ? "The request carries no idempotency key: send one in the " + place(request) + "."
						: "The request carries no idempotency key.");
	}

	/**
	 * Names the actual or expected place of the key of a request.
	 */
	private String place(HttpServletRequest request) {
		if (this.own != null) {
			return "idempotency key";
		}
		return isField(request) ? "form field " + FORM_FIELD : this.header + " header";
	}

	private String parse(List<String> values) throws ParseException {
		if (values.size() > 1) {
			throw malformed("was sent more than once; send one key for each request");
		}
		String value = trimSpaces(values.get(0));
		if (value.isEmpty()) {
			throw malformed("is empty");
		}
		boolean quoted = this.syntax == HeaderSyntax.STRICT || value.charAt(0) == '"';
		return checked(quoted ? quoted(value) : bare(value));
	}

	private static String quoted(String value) throws ParseException {
		try {
			return new StructuredFieldParser(value).stringItem();
		}
		catch (ParseException ex) {
			throw malformed("is not a valid RFC 9651 string: " + ex.getMessage());
		}
	}

	private static String bare(String value) throws ParseException {
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c == ',') {
				// Proxies join two header lines with a comma: RFC 9110, section 5.3
				throw malformed("holds a comma: send one key, or put a key with a comma into double quotes");
			}
			if (c == ' ') {
				throw malformed("holds a space: put a key with a space into double quotes");
			}
			if (c < 0x21 || c > 0x7E) {
				throw malformed("holds a character that is not visible ASCII");
			}
		}
		return value;
	}

	private String checked(String key) throws ParseException {
		if (key.isBlank()) {
			throw malformed("is empty");
		}
		if (key.length() > MAX_LENGTH) {
			throw malformed("is too long: a key has at most " + MAX_LENGTH + " characters");
		}
		if (this.pattern != null && !this.pattern.matcher(key).matches()) {
			throw malformed("does not have the expected format: a key matches " + this.pattern.pattern());
		}
		return key;
	}

	private static ParseException malformed(String reason) {
		return new ParseException(reason, 0);
	}

	// Neither trim() nor strip(): both would also remove control characters
	private static String trimSpaces(String value) {
		return StringUtils.trimTrailingCharacter(StringUtils.trimLeadingCharacter(value, ' '), ' ');
	}

	/**
	 * Returns the name of a parameter of a query. One that cannot be decoded stays
	 * unchanged, since the container has no parameter for it.
	 * @param parameter a parameter as it was sent, with or without a value
	 */
	public static String parameterName(String parameter) {
		String name = parameter.split("=", 2)[0];
		try {
			return URLDecoder.decode(name, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return name;
		}
	}

}
