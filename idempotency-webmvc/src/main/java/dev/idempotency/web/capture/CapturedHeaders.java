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
package dev.idempotency.web.capture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.util.LinkedCaseInsensitiveMap;

import dev.idempotency.engine.codec.Answer.HeaderField;

/**
 * The header lines that a handler sets, kept separately from those that filters have set
 * on the surrounding response.
 */
final class CapturedHeaders {

	private record Lines(boolean replacing, List<String> values) {
	}

	private final Map<String, Lines> lines = new LinkedCaseInsensitiveMap<>(Locale.ROOT);

	private final HttpServletResponse around;

	CapturedHeaders(HttpServletResponse around) {
		this.around = around;
	}

	void set(String name, String value) {
		requireAccepted(name, value);
		put(name, value);
	}

	void put(String name, String value) {
		this.lines.put(name, new Lines(true, new ArrayList<>(List.of(value))));
	}

	void add(String name, String value) {
		requireAccepted(name, value);
		this.lines.computeIfAbsent(name, (key) -> new Lines(false, new ArrayList<>(2))).values().add(value);
	}

	/**
	 * Adds the lines that the container creates for a cookie.
	 */
	void add(Cookie cookie) {
		tryOut(HttpHeaders.SET_COOKIE, () -> this.around.addCookie(cookie))
			.forEach((line) -> add(HttpHeaders.SET_COOKIE, line));
	}

	/**
	 * Lets the surrounding response refuse a line that HTTP does not allow, such as one
	 * with a line break, or accept it.
	 */
	private void requireAccepted(String name, String value) {
		if (hasControls(name) || hasControls(value)) {
			tryOut(name, () -> this.around.addHeader(name, value));
		}
	}

	private static boolean hasControls(String text) {
		return text.chars().anyMatch((character) -> Character.isISOControl(character) && character != '\t');
	}

	/**
	 * Makes an addition to the surrounding response and undoes it. An addition that the
	 * response rejects fails here, while the handler runs; after the commit it would fail
	 * a stored answer and each of its replays.
	 * @return the lines that were added
	 */
	private List<String> tryOut(String name, Runnable addition) {
		List<String> before = List.copyOf(this.around.getHeaders(name));
		addition.run();
		List<String> added = this.around.getHeaders(name).stream().skip(before.size()).toList();
		this.around.setHeader(name, null);
		before.forEach((line) -> this.around.addHeader(name, line));
		return added;
	}

	/**
	 * Removes the lines of one name, including those on the surrounding response.
	 */
	void remove(String name) {
		this.lines.put(name, new Lines(true, new ArrayList<>(1)));
	}

	void forget(String name) {
		this.lines.remove(name);
	}

	boolean isRemoved(String name) {
		Lines found = this.lines.get(name);
		return found != null && found.values().isEmpty();
	}

	void clear() {
		this.lines.clear();
	}

	/**
	 * Returns the values of one name, together with those on the surrounding response,
	 * unless these are replaced.
	 */
	Collection<String> values(String name, Supplier<Collection<String>> around) {
		Lines found = this.lines.get(name);
		if (found == null) {
			return around.get();
		}
		if (found.replacing()) {
			return List.copyOf(found.values());
		}
		List<String> all = new ArrayList<>(around.get());
		all.addAll(found.values());
		return all;
	}

	/**
	 * Returns the names of all lines, together with those on the surrounding response,
	 * unless these are removed.
	 */
	Set<String> names(Collection<String> around) {
		Set<String> names = new LinkedHashSet<>(around);
		this.lines.forEach((name, line) -> {
			if (line.values().isEmpty()) {
				names.removeIf(name::equalsIgnoreCase);
			}
			else {
				names.add(name);
			}
		});
		return names;
	}

	List<HeaderField> toFields() {
		List<HeaderField> fields = new ArrayList<>(this.lines.size());
		this.lines.forEach((name, line) -> {
			boolean added = !line.replacing();
			if (line.values().isEmpty()) {
				fields.add(new HeaderField(name, null, false));
			}
			for (String value : line.values()) {
				fields.add(new HeaderField(name, value, added));
				added = true;
			}
		});
		return fields;
	}

	static void write(List<HeaderField> fields, HttpServletResponse response) {
		for (HeaderField field : fields) {
			if (field.name().equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
				response.setContentType(field.value());
			}
			else if (field.added()) {
				response.addHeader(field.name(), field.value());
			}
			else {
				response.setHeader(field.name(), field.value());
			}
		}
	}

	static boolean isCookie(HeaderField field) {
		return field.name().equalsIgnoreCase(HttpHeaders.SET_COOKIE);
	}

	static boolean describesBody(HeaderField field) {
		return field.name().equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)
				|| field.name().equalsIgnoreCase(HttpHeaders.CONTENT_DISPOSITION);
	}

}
