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
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.util.Assert;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;

/**
 * The fields of {@code application/x-www-form-urlencoded} text.
 */
public final class FormFields {

	private FormFields() {
	}

	public static boolean isForm(@Nullable String contentType) {
		return StringUtils.startsWithIgnoreCase(contentType, MediaType.APPLICATION_FORM_URLENCODED_VALUE);
	}

	/**
	 * Returns the values of a parameter that come from the body of a form, not from the
	 * query. The container puts the values of the query before those of the body (Servlet
	 * 6.1 section 3.1).
	 * @return the values, empty if the body has none
	 */
	public static List<String> bodyValues(HttpServletRequest request, String name) {
		String[] all = request.getParameterValues(name);
		return (all != null) ? withoutQuery(all, queryFields(request).getOrDefault(name, List.of())) : List.of();
	}

	/**
	 * Returns the fields of a form whose body the container has read.
	 * @return the values by the names of their fields, in order
	 */
	public static Map<String, List<String>> bodyFields(HttpServletRequest request) {
		Map<String, List<String>> query = queryFields(request);
		Map<String, List<String>> fields = new LinkedHashMap<>();
		request.getParameterMap().forEach((name, values) -> {
			List<String> own = withoutQuery(values, query.getOrDefault(name, List.of()));
			if (!own.isEmpty()) {
				fields.put(name, own);
			}
		});
		return fields;
	}

	/**
	 * Removes the values of the query. Spring's filter gives a field without a value
	 * {@code null}.
	 */
	private static List<String> withoutQuery(@Nullable String[] all, List<String> query) {
		return Stream.of(all).skip(query.size()).map((value) -> Objects.requireNonNullElse(value, "")).toList();
	}

	private static Map<String, List<String>> queryFields(HttpServletRequest request) {
		String query = request.getQueryString();
		return (query != null) ? fields(query, FormFields::decoded) : Map.of();
	}

	/**
	 * Decodes text of a query. Text that cannot be decoded stays unchanged, since the
	 * container has no parameter for it.
	 */
	public static String decoded(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	/**
	 * Counts fields without reading them, as containers do: a field without a name does
	 * not count.
	 */
	public static int count(byte[] content) {
		int fields = 0;
		boolean start = true;
		for (byte character : content) {
			if (start && character != '&' && character != '=') {
				fields++;
			}
			start = character == '&';
		}
		return fields;
	}

	/**
	 * Reads fields.
	 * @param content the bytes of the text
	 * @param charset the charset of its characters, escaped or not
	 * @return the values by the names of their fields, in order
	 * @throws IllegalArgumentException if it cannot be decoded
	 */
	public static MultiValueMap<String, String> parse(byte[] content, Charset charset) {
		String text = new String(content, StandardCharsets.ISO_8859_1);
		Assert.isTrue(!("&" + text).contains("&="), "A field has no name");
		return fields(text, (part) -> decode(URLDecoder.decode(part, StandardCharsets.ISO_8859_1), charset));
	}

	/**
	 * Fails on malformed bytes, as the container does, rather than replace them: two
	 * values would be the same.
	 */
	private static String decode(String bytes, Charset charset) {
		try {
			return charset.newDecoder().decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1))).toString();
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException("Malformed characters", ex);
		}
	}

	private static MultiValueMap<String, String> fields(String text, UnaryOperator<String> decoder) {
		MultiValueMap<String, String> fields = new LinkedMultiValueMap<>();
		for (String pair : text.split("&")) {
			if (!pair.isEmpty()) {
				String[] field = pair.split("=", 2);
				fields.add(decoder.apply(field[0]), (field.length > 1) ? decoder.apply(field[1]) : "");
			}
		}
		return fields;
	}

}
