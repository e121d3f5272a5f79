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

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;

import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.web.endpoint.WebSettings;

/**
 * A reader of keys: from the place that the application's {@link KeyResolver} names, or
 * else from the request header or the hidden field of an HTML form. The field has to be
 * in the form's body, because queries are in access logs and in the Referer of other
 * requests.
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

	private final @Nullable KeyResolver own;

	private final String header;

	private final KeyParser parser;

	/**
	 * Creates a reader.
	 * @param settings the place and the syntax of keys
	 * @param own the application's resolver, {@code null} for the place in the settings
	 */
	public KeyReader(WebSettings settings, @Nullable KeyResolver own) {
		this.own = own;
		this.header = settings.header();
		this.parser = new KeyParser(settings.syntax(), settings.keyPattern());
	}

	/**
	 * Reads the key.
	 * @return the key's value, {@code null} if the request carries none
	 * @throws MalformedKeyException if its key is malformed
	 */
	public @Nullable String read(HttpServletRequest request) {
		List<String> values = values(request);
		return values.isEmpty() ? null : this.parser.parse(values, "The " + place(request));
	}

	/**
	 * Returns whether a request carries a key, which may be malformed.
	 */
	public boolean hasKey(HttpServletRequest request) {
		return !values(request).isEmpty();
	}

	private List<String> values(HttpServletRequest request) {
		return (this.own != null) ? this.own.resolve(request) : resolve(request);
	}

	private List<String> resolve(HttpServletRequest request) {
		List<String> lines = Collections.list(request.getHeaders(this.header));
		return (lines.isEmpty() && isForm(request.getContentType())) ? fieldValues(request) : lines;
	}

	/**
	 * Returns the values of the field that come from the body. The container puts those
	 * of the query before them (Servlet 6.1 section 3.1).
	 */
	private List<String> fieldValues(HttpServletRequest request) {
		String[] values = request.getParameterValues(FORM_FIELD);
		if (values == null) {
			return List.of();
		}
		String query = request.getQueryString();
		long inQuery = (query != null)
				? Arrays.stream(query.split("&")).filter((pair) -> QueryNames.of(pair).equals(FORM_FIELD)).count() : 0;
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

	/**
	 * Checks a key that does not come from a header.
	 */
	public String validate(String key) {
		return this.parser.validate(key);
	}

}
