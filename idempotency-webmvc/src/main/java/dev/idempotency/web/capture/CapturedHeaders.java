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
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.LinkedCaseInsensitiveMap;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

/**
 * The header lines that a handler sets, kept separately from those that filters have set
 * on the surrounding response.
 * <p>
 * The charset is kept separately from the type of the body, since it may be set
 * separately, and not after a writer was created for it. Both keep their spelling, since
 * the container normalizes them.
 */
final class CapturedHeaders {

	/**
	 * Control characters other than the tab.
	 */
	private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x08\\x0A-\\x1F\\x7F-\\x9F]");

	private static final Pattern CHARSET = Pattern.compile(";\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|([^;\\s]*))\\s*",
			Pattern.CASE_INSENSITIVE);

	private final HttpServletResponse around;

	private final Map<String, Lines> lines = new LinkedCaseInsensitiveMap<>(Locale.ROOT);

	/**
	 * The type with its charset, as it was set.
	 */
	private @Nullable String wholeType;

	private @Nullable String wholeCharset;

	private @Nullable String type;

	private @Nullable String charset;

	/**
	 * The charset of a locale, which applies unless another is set.
	 */
	private @Nullable String localeCharset;

	/**
	 * The charset of the writer, which a container adds to the type if no other is set.
	 */
	private @Nullable String writerCharset;

	/**
	 * The type as it was set, with the charset that was set.
	 */
	private @Nullable String contentTypeAsSet;

	/**
	 * The type with the charset of the body.
	 */
	private @Nullable String contentType;

	CapturedHeaders(HttpServletResponse around) {
		this.around = around;
	}

	void set(String name, String value) {
		requireAccepted(name, value);
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
		if (CONTROLS.matcher(name).find() || CONTROLS.matcher(value).find()) {
			tryOut(name, () -> this.around.addHeader(name, value));
		}
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

	boolean isRemoved(String name) {
		Lines found = this.lines.get(name);
		return found != null && found.values().isEmpty();
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
		if (this.contentType != null) {
			names.add(HttpHeaders.CONTENT_TYPE);
		}
		return names;
	}

	void setContentType(@Nullable String value) {
		setType(value);
		if (value == null) {
			remove(HttpHeaders.CONTENT_TYPE);
		}
		else {
			this.lines.remove(HttpHeaders.CONTENT_TYPE);
		}
	}

	private void setType(@Nullable String value) {
		Matcher parameter = CHARSET.matcher((value != null) ? value : "");
		this.wholeType = value;
		this.type = value;
		this.wholeCharset = null;
		if (parameter.find()) {
			this.type = parameter.replaceFirst("");
			this.wholeCharset = (parameter.group(1) != null) ? parameter.group(1) : parameter.group(2);
			if (this.writerCharset == null) {
				this.charset = this.wholeCharset;
			}
		}
		typeChanged();
	}

	void setCharset(@Nullable String charset) {
		if (this.writerCharset == null) {
			this.charset = charset;
			typeChanged();
		}
	}

	void setLocaleCharset(@Nullable String charset) {
		if (this.writerCharset == null) {
			this.localeCharset = charset;
			typeChanged();
		}
	}

	/**
	 * Fixes the charset, in which the body is written from now on.
	 */
	void fixCharset(String charset) {
		this.writerCharset = charset;
		typeChanged();
	}

	private void typeChanged() {
		this.contentTypeAsSet = withCharset(charsetAsSet());
		this.contentType = (this.writerCharset != null) ? withCharset(this.writerCharset) : this.contentTypeAsSet;
	}

	private @Nullable String withCharset(@Nullable String own) {
		if (Objects.equals(own, this.wholeCharset)) {
			return this.wholeType;
		}
		return (this.type != null && own != null) ? this.type + ";charset=" + own : this.type;
	}

	/**
	 * Returns the charset that was set, or that of the writer.
	 */
	@Nullable String charset() {
		return (this.writerCharset != null) ? this.writerCharset : charsetAsSet();
	}

	private @Nullable String charsetAsSet() {
		return (this.charset != null) ? this.charset : this.localeCharset;
	}

	/**
	 * Returns the type of the body with its charset.
	 * @return the value, {@code null} if no type was set
	 */
	@Nullable String contentType() {
		return this.contentType;
	}

	/**
	 * Returns the lines in order.
	 */
	List<HeaderField> toFields() {
		// Without the charset that the container adds for the writer.
		String typeAsSet = this.contentTypeAsSet;
		if (typeAsSet != null) {
			this.lines.put(HttpHeaders.CONTENT_TYPE, new Lines(true, new ArrayList<>(List.of(typeAsSet))));
		}
		List<HeaderField> fields = new ArrayList<>(this.lines.size());
		this.lines.forEach((name, line) -> line.addTo(fields, name));
		return fields;
	}

	/**
	 * Removes the lines of cookies.
	 * @return these lines
	 */
	List<HeaderField> takeCookies() {
		List<HeaderField> cookies = new ArrayList<>();
		Lines found = this.lines.remove(HttpHeaders.SET_COOKIE);
		if (found != null) {
			found.addTo(cookies, HttpHeaders.SET_COOKIE);
		}
		return cookies;
	}

	void clear() {
		this.lines.clear();
		this.charset = null;
		this.localeCharset = null;
		this.writerCharset = null;
		setType(null);
	}

	/**
	 * Writes only the type of the body, if it was set or removed.
	 */
	void writeContentType(HttpServletResponse response) {
		String typeAsSet = this.contentTypeAsSet;
		if (typeAsSet != null || isRemoved(HttpHeaders.CONTENT_TYPE)) {
			response.setContentType(typeAsSet);
		}
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

	/**
	 * The lines of one name, none if it was removed.
	 *
	 * @param replacing whether they replace those on the surrounding response
	 * @param values the values
	 */
	private record Lines(boolean replacing, List<String> values) {

		void addTo(List<HeaderField> fields, String name) {
			if (this.values.isEmpty()) {
				fields.add(new HeaderField(name, null, false));
			}
			boolean added = !this.replacing;
			for (String value : this.values) {
				fields.add(new HeaderField(name, value, added));
				added = true;
			}
		}

	}

}
