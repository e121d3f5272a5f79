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

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

import dev.idempotency.engine.codec.Answer.HeaderField;

/**
 * The head of a captured response: its headers, content type and cookies. Once the
 * response is committed they do not change, as on the response of a container.
 */
abstract class CapturedHead extends ResponseShorthands {

	private final ServletResponse hidden;

	private final CapturedHeaders headers;

	private final CapturedContentType contentType = new CapturedContentType();

	private final SessionIds sessionIds;

	private @Nullable Locale locale;

	private boolean lengthAnnounced;

	CapturedHead(HttpServletResponse around, SessionIds sessionIds) {
		super(around);
		this.hidden = around;
		this.sessionIds = sessionIds;
		this.headers = new CapturedHeaders(around);
	}

	final HttpServletResponse around() {
		return (HttpServletResponse) super.getResponse();
	}

	/**
	 * Hides a surrounding response of Tomcat: at the end of a forward, Tomcat looks for
	 * its response through all wrappers and closes it, before anything was written to it.
	 */
	@Override
	public ServletResponse getResponse() {
		ServletResponse wrapped = super.getResponse();
		return (wrapped == this.hidden) ? TomcatResponses.hide(wrapped) : wrapped;
	}

	@Override
	public abstract boolean isCommitted();

	/**
	 * Passes the cookies to the surrounding response. They are not part of an answer.
	 * @return the other headers that were set
	 */
	public List<HeaderField> releaseCookies() {
		CapturedHeaders.write(fields().stream().filter(CapturedHeaders::isCookie).toList(), around());
		this.headers.forget(HttpHeaders.SET_COOKIE);
		return fields();
	}

	void clearHead() {
		this.headers.clear();
		this.contentType.clear();
		this.locale = null;
		this.lengthAnnounced = false;
	}

	/**
	 * Fixes the charset, in which the body is written from now on.
	 */
	void fixCharset(String charset) {
		this.contentType.fixCharset(charset);
	}

	/**
	 * Returns the headers that were set, in order.
	 */
	public List<HeaderField> fields() {
		String type = this.contentType.headerAsSet();
		if (type != null) {
			this.headers.put(HttpHeaders.CONTENT_TYPE, type);
		}
		return this.headers.toFields();
	}

	/**
	 * Returns the charset that was set, or that of the writer.
	 */
	@Nullable String charset() {
		return this.contentType.charset();
	}

	/**
	 * Returns whether the length of the body was set. The length itself is that of the
	 * captured body.
	 */
	boolean isLengthAnnounced() {
		return this.lengthAnnounced;
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		if (!isCommitted()) {
			this.lengthAnnounced = (length >= 0);
		}
	}

	/**
	 * Returns the headers that remain when the handler fails: Spring MVC resets those
	 * that describe its body.
	 */
	public List<HeaderField> fieldsOfFailure() {
		return this.headers.toFields().stream().filter((field) -> !CapturedHeaders.describesBody(field)).toList();
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!isCommitted()) {
			this.contentType.set(type);
			if (type == null) {
				this.headers.remove(HttpHeaders.CONTENT_TYPE);
			}
			else {
				this.headers.forget(HttpHeaders.CONTENT_TYPE);
			}
		}
	}

	@Override
	public @Nullable String getContentType() {
		String own = this.contentType.header();
		return (own != null || this.headers.isRemoved(HttpHeaders.CONTENT_TYPE)) ? own : super.getContentType();
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!isCommitted()) {
			this.contentType.setCharset(encoding);
		}
	}

	@Override
	public String getCharacterEncoding() {
		String own = this.contentType.charset();
		return (own != null) ? own : super.getCharacterEncoding();
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		if (!isCommitted()) {
			this.locale = locale;
			String charset = (locale != null) ? charsetOf(locale) : null;
			if (locale == null || charset != null) {
				this.contentType.setLocaleCharset(charset);
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

	@Override
	public Locale getLocale() {
		return (this.locale != null) ? this.locale : super.getLocale();
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (!isCommitted()) {
			this.headers.add(cookie);
		}
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (!isCommitted() && StringUtils.hasLength(name) && !isOfTheBody(name, value)) {
			if (value == null) {
				this.headers.remove(name);
			}
			else {
				this.headers.set(name, value);
			}
		}
	}

	/**
	 * Ignores a header without a name or a value, as the container does.
	 */
	@Override
	public void addHeader(String name, @Nullable String value) {
		if (!isCommitted() && StringUtils.hasLength(name) && value != null && !isOfTheBody(name, value)) {
			this.headers.add(name, value);
		}
	}

	private boolean isOfTheBody(String name, @Nullable String value) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
			return true;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			setContentLengthLong((value != null) ? 0 : -1);
			return true;
		}
		return false;
	}

	@Override
	public @Nullable String getHeader(String name) {
		Iterator<String> values = getHeaders(name).iterator();
		return values.hasNext() ? values.next() : null;
	}

	@Override
	public Collection<String> getHeaders(String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			String type = getContentType();
			return (type != null) ? List.of(type) : List.of();
		}
		return this.headers.values(name, () -> super.getHeaders(name));
	}

	@Override
	public Collection<String> getHeaderNames() {
		Set<String> names = this.headers.names(super.getHeaderNames());
		if (this.contentType.header() != null) {
			names.add(HttpHeaders.CONTENT_TYPE);
		}
		return names;
	}

	/**
	 * Returns the URL as filters encode it, without the session id that the container
	 * adds for this caller: the answer is replayed to others.
	 */
	@Override
	public String encodeURL(String url) {
		return this.sessionIds.removeFrom(super.encodeURL(url));
	}

	@Override
	public String encodeRedirectURL(String url) {
		return this.sessionIds.removeFrom(super.encodeRedirectURL(url));
	}

}
