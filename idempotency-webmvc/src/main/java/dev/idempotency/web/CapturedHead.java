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
package dev.idempotency.web;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

import dev.idempotency.engine.codec.StoredResponse.HeaderField;

/**
 * A response that keeps its status and the header lines that a handler sets, separately
 * from those that filters have set on the surrounding response, which the handler sees as
 * well.
 * <p>
 * The charset is kept separately from the type of the body, since it may be set
 * separately, and not after a writer was created for it. Both keep their spelling, since
 * the container normalizes them. Of a length only the fact is kept that it was announced.
 * <p>
 * The several forms of a call in the servlet API are reduced to one:
 * {@link #setCharacterEncoding(String)}, {@link #setHeader} and {@link #addHeader}.
 */
abstract class CapturedHead extends HttpServletResponseWrapper {

	private static final Pattern CHARSET = Pattern.compile(";\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|([^;\\s]*))\\s*",
			Pattern.CASE_INSENSITIVE);

	/**
	 * The surrounding response at first. A container may put another around it, as Tomcat
	 * does for a forward.
	 */
	final HttpServletResponse original;

	private int status;

	private @Nullable Locale locale;

	/**
	 * The lines in order, apart from the type and the length of the body. The first line
	 * of a name replaces those on the surrounding response, unless it is added to them; a
	 * line without a value removes them.
	 */
	private final List<HeaderField> lines = new ArrayList<>(4);

	/**
	 * The type with its charset, as it was set.
	 */
	private @Nullable String wholeType;

	private @Nullable String wholeCharset;

	private @Nullable String type;

	private boolean typeRemoved;

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
	 * The charset of the body: the writer's, or the one that was set.
	 */
	private @Nullable String bodyCharset;

	/**
	 * The type as it was set, with the charset that was set.
	 */
	private @Nullable String contentTypeAsSet;

	/**
	 * The type with the charset of the body.
	 */
	private @Nullable String contentType;

	private boolean lengthAnnounced;

	CapturedHead(HttpServletResponse around) {
		super(around);
		this.original = around;
		this.status = around.getStatus();
	}

	/**
	 * Returns whether changes of everything but the body have an effect.
	 */
	abstract boolean isHeadOpen();

	@Override
	public void setStatus(int status) {
		if (isHeadOpen()) {
			this.status = status;
		}
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	/**
	 * Replaces the lines of one name, including those on the surrounding response.
	 * @param value the value, {@code null} to remove them
	 */
	@Override
	public void setHeader(String name, @Nullable String value) {
		if (!isHeadOpen() || !StringUtils.hasLength(name) || isOfTheBody(name, value)) {
			return;
		}
		if (value != null) {
			requireAccepted(name, value);
		}
		int place = this.lines.size();
		for (int i = place - 1; i >= 0; i--) {
			if (this.lines.get(i).name().equalsIgnoreCase(name)) {
				this.lines.remove(i);
				place = i;
			}
		}
		this.lines.add(place, new HeaderField(name, value, false));
	}

	/**
	 * Adds a line. Ignores one without a name or a value, as the container does.
	 */
	@Override
	public void addHeader(String name, @Nullable String value) {
		if (!isHeadOpen() || !StringUtils.hasLength(name) || value == null || isOfTheBody(name, value)) {
			return;
		}
		requireAccepted(name, value);
		for (int i = 0; i < this.lines.size(); i++) {
			HeaderField line = this.lines.get(i);
			if (line.value() == null && line.name().equalsIgnoreCase(name)) {
				this.lines.set(i, new HeaderField(name, value, false));
				return;
			}
		}
		this.lines.add(new HeaderField(name, value, true));
	}

	private boolean isOfTheBody(String name, @Nullable String value) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
			return true;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			this.lengthAnnounced = (value != null);
			return true;
		}
		return false;
	}

	@Override
	public void setIntHeader(String name, int value) {
		setHeader(name, Integer.toString(value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		addHeader(name, Integer.toString(value));
	}

	@Override
	public void setDateHeader(String name, long date) {
		setHeader(name, httpDate(date));
	}

	@Override
	public void addDateHeader(String name, long date) {
		addHeader(name, httpDate(date));
	}

	private static String httpDate(long date) {
		HttpHeaders formatter = new HttpHeaders();
		formatter.setDate(HttpHeaders.DATE, date);
		return String.valueOf(formatter.getFirst(HttpHeaders.DATE));
	}

	/**
	 * Adds the lines that the container creates for a cookie.
	 */
	@Override
	public void addCookie(Cookie cookie) {
		if (isHeadOpen()) {
			tryOut(HttpHeaders.SET_COOKIE, () -> this.original.addCookie(cookie))
				.forEach((line) -> addHeader(HttpHeaders.SET_COOKIE, line));
		}
	}

	/**
	 * Lets the surrounding response refuse a line that HTTP does not allow, such as one
	 * with a line break, or accept it.
	 */
	private void requireAccepted(String name, String value) {
		if (hasControls(name) || hasControls(value)) {
			tryOut(name, () -> this.original.addHeader(name, value));
		}
	}

	/**
	 * Returns whether there are control characters other than the tab.
	 */
	private static boolean hasControls(String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (Character.isISOControl(c) && c != '\t') {
				return true;
			}
		}
		return false;
	}

	/**
	 * Makes an addition to the surrounding response and undoes it. An addition that the
	 * response rejects fails here, while the handler runs; after the commit it would fail
	 * a stored response and each of its replays.
	 * @return the lines that were added
	 */
	private List<String> tryOut(String name, Runnable addition) {
		List<String> before = List.copyOf(this.original.getHeaders(name));
		addition.run();
		List<String> added = this.original.getHeaders(name).stream().skip(before.size()).toList();
		this.original.setHeader(name, null);
		before.forEach((line) -> this.original.addHeader(name, line));
		return added;
	}

	@Override
	public boolean containsHeader(String name) {
		return getHeader(name) != null;
	}

	/**
	 * Returns the first value of one name, from the surrounding response unless it is
	 * replaced. The type of the body has the charset of the body.
	 */
	@Override
	public @Nullable String getHeader(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			return (this.contentType != null || this.typeRemoved) ? this.contentType : this.original.getContentType();
		}
		for (HeaderField line : this.lines) {
			if (line.name().equalsIgnoreCase(name)) {
				String before = line.added() ? this.original.getHeader(name) : null;
				return (before != null) ? before : line.value();
			}
		}
		return this.original.getHeader(name);
	}

	/**
	 * Returns the values of one name, together with those on the surrounding response,
	 * unless these are replaced.
	 */
	@Override
	public Collection<String> getHeaders(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			String type = getHeader(name);
			return (type != null) ? List.of(type) : List.of();
		}
		List<String> values = null;
		for (HeaderField line : this.lines) {
			if (line.name().equalsIgnoreCase(name)) {
				if (values == null) {
					values = new ArrayList<>(line.added() ? this.original.getHeaders(name) : List.of());
				}
				if (line.value() != null) {
					values.add(line.value());
				}
			}
		}
		return (values != null) ? values : this.original.getHeaders(name);
	}

	/**
	 * Returns the names of all lines, together with those on the surrounding response,
	 * unless these are removed.
	 */
	@Override
	public Collection<String> getHeaderNames() {
		Set<String> names = new LinkedHashSet<>(this.original.getHeaderNames());
		for (HeaderField line : toFields()) {
			if (line.value() == null) {
				names.removeIf(line.name()::equalsIgnoreCase);
			}
			else {
				names.add(line.name());
			}
		}
		return names;
	}

	@Override
	public @Nullable String getContentType() {
		return getHeader(HttpHeaders.CONTENT_TYPE);
	}

	@Override
	public void setContentType(@Nullable String value) {
		if (!isHeadOpen()) {
			return;
		}
		this.typeRemoved = (value == null);
		this.wholeType = value;
		this.type = value;
		this.wholeCharset = null;
		if (value != null && value.indexOf(';') >= 0) {
			Matcher parameter = CHARSET.matcher(value);
			if (parameter.find()) {
				this.type = parameter.replaceFirst("");
				this.wholeCharset = (parameter.group(1) != null) ? parameter.group(1) : parameter.group(2);
				if (this.writerCharset == null) {
					this.charset = this.wholeCharset;
				}
			}
		}
		typeChanged();
	}

	@Override
	public String getCharacterEncoding() {
		return (this.bodyCharset != null) ? this.bodyCharset : super.getCharacterEncoding();
	}

	@Override
	public void setCharacterEncoding(@Nullable Charset encoding) {
		setCharacterEncoding((encoding != null) ? encoding.name() : null);
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (isHeadOpen() && this.writerCharset == null) {
			this.charset = encoding;
			typeChanged();
		}
	}

	@Override
	public Locale getLocale() {
		return (this.locale != null) ? this.locale : super.getLocale();
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		if (isHeadOpen()) {
			this.locale = locale;
			String charset = (locale != null) ? charsetOf(locale) : null;
			if (this.writerCharset == null && (locale == null || charset != null)) {
				this.localeCharset = charset;
				typeChanged();
			}
			setHeader(HttpHeaders.CONTENT_LANGUAGE, (locale != null) ? locale.toLanguageTag() : null);
		}
	}

	/**
	 * Asks the container for the charset of a locale. The surrounding response does not
	 * keep the locale, since something else may be sent in place of this response.
	 */
	private @Nullable String charsetOf(Locale locale) {
		String before = super.getCharacterEncoding();
		Locale localeBefore = super.getLocale();
		super.setLocale(locale);
		String charset = super.getCharacterEncoding();
		super.setLocale(Locale.getDefault().equals(localeBefore) ? null : localeBefore);
		return charset.equals(before) ? null : charset;
	}

	/**
	 * Fixes the charset, in which the body is written from now on.
	 */
	void fixCharset(String charset) {
		this.writerCharset = charset;
		typeChanged();
	}

	private void typeChanged() {
		String charsetAsSet = (this.charset != null) ? this.charset : this.localeCharset;
		this.contentTypeAsSet = withCharset(charsetAsSet);
		this.bodyCharset = charsetAsSet;
		this.contentType = this.contentTypeAsSet;
		if (this.writerCharset != null) {
			this.bodyCharset = this.writerCharset;
			this.contentType = withCharset(this.writerCharset);
		}
	}

	private @Nullable String withCharset(@Nullable String own) {
		if (Objects.equals(own, this.wholeCharset)) {
			return this.wholeType;
		}
		return (this.type != null && own != null) ? this.type + ";charset=" + own : this.type;
	}

	/**
	 * Returns the charset that was set, or the writer's.
	 */
	@Nullable String charset() {
		return this.bodyCharset;
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		if (isHeadOpen()) {
			this.lengthAnnounced = (length >= 0);
		}
	}

	boolean isLengthAnnounced() {
		return this.lengthAnnounced;
	}

	/**
	 * Returns the lines in order.
	 */
	List<HeaderField> toFields() {
		List<HeaderField> fields = new ArrayList<>(this.lines.size() + 1);
		fields.addAll(this.lines);
		if (this.contentTypeAsSet != null || this.typeRemoved) {
			// Without the charset that the container adds for the writer.
			fields.add(new HeaderField(HttpHeaders.CONTENT_TYPE, this.contentTypeAsSet, false));
		}
		return fields;
	}

	/**
	 * Passes the cookies to the surrounding response. They are not part of a stored
	 * response.
	 * @return the other lines that were set
	 */
	List<HeaderField> releaseCookies() {
		List<HeaderField> cookies = this.lines.stream()
			.filter((line) -> line.name().equalsIgnoreCase(HttpHeaders.SET_COOKIE))
			.toList();
		this.lines.removeAll(cookies);
		ResponseRecorder.writeHeaders(cookies, this.original);
		return toFields();
	}

	/**
	 * Forgets everything that was set.
	 * @param status the status of the surrounding response
	 */
	void clearHead(int status) {
		this.status = status;
		this.lines.clear();
		this.charset = null;
		this.localeCharset = null;
		this.writerCharset = null;
		this.lengthAnnounced = false;
		setContentType(null);
		this.typeRemoved = false;
		this.locale = null;
	}

	/**
	 * Writes only the type of the body, if it was set or removed.
	 */
	void writeContentType(HttpServletResponse response) {
		if (this.contentTypeAsSet != null || this.typeRemoved) {
			response.setContentType(this.contentTypeAsSet);
		}
	}

}
