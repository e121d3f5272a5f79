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

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A stored request, as it reached its handler, without the parts that are not stored:
 * credentials, session and client.
 */
final class CommandRequest extends MappedRequest {

	private final HttpCommand command;

	private final ServletContext servletContext;

	private final HttpHeaders headers = new HttpHeaders();

	private @Nullable String encoding;

	private @Nullable ServletInputStream stream;

	/**
	 * Creates a request.
	 * @param command the stored content
	 * @param servletContext the application's
	 * @param servlet the path that Spring MVC's servlet is mapped to, empty for {@code /}
	 */
	CommandRequest(HttpCommand command, ServletContext servletContext, String servlet) {
		super(Defaults.of(HttpServletRequest.class), servlet);
		this.command = command;
		this.servletContext = servletContext;
		command.headers().forEach(this.headers::addAll);
		this.encoding = command.encoding();
	}

	@Override
	public DispatcherType getDispatcherType() {
		return DispatcherType.REQUEST;
	}

	@Override
	public String getMethod() {
		return this.command.method();
	}

	@Override
	public String getRequestURI() {
		return this.command.uri();
	}

	@Override
	public @Nullable String getQueryString() {
		return this.command.query();
	}

	@Override
	public String getContextPath() {
		return this.command.contextPath();
	}

	@Override
	public ServletContext getServletContext() {
		return this.servletContext;
	}

	@Override
	public String getProtocol() {
		return "HTTP/1.1";
	}

	@Override
	public String getScheme() {
		return this.command.scheme();
	}

	@Override
	public boolean isSecure() {
		return getScheme().equals("https");
	}

	@Override
	public String getServerName() {
		return this.command.server();
	}

	@Override
	public int getServerPort() {
		return this.command.port();
	}

	@Override
	public String getRemoteAddr() {
		return "";
	}

	@Override
	public String getRemoteHost() {
		return "";
	}

	@Override
	public @Nullable String getHeader(String name) {
		return this.headers.getFirst(name);
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		return Collections.enumeration(this.headers.getOrEmpty(name));
	}

	@Override
	public Enumeration<String> getHeaderNames() {
		return Collections.enumeration(this.headers.headerNames());
	}

	@Override
	public int getIntHeader(String name) {
		String value = getHeader(name);
		return (value != null) ? Integer.parseInt(value) : -1;
	}

	@Override
	public long getDateHeader(String name) {
		return this.headers.getFirstDate(name);
	}

	@Override
	public @Nullable String getContentType() {
		return getHeader(HttpHeaders.CONTENT_TYPE);
	}

	@Override
	public int getContentLength() {
		return this.command.body().length;
	}

	@Override
	public long getContentLengthLong() {
		return this.command.body().length;
	}

	@Override
	public ServletInputStream getInputStream() {
		if (this.stream == null) {
			this.stream = this.command.stream();
		}
		return this.stream;
	}

	@Override
	public BufferedReader getReader() {
		Charset charset = (this.encoding != null) ? Charset.forName(this.encoding) : StandardCharsets.ISO_8859_1;
		return new BufferedReader(new InputStreamReader(getInputStream(), charset));
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		Map<String, String[]> parameters = new LinkedHashMap<>();
		this.command.parameters().forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
		return Collections.unmodifiableMap(parameters);
	}

	@Override
	public @Nullable String getParameter(String name) {
		List<String> values = this.command.parameters().get(name);
		return (values != null) ? values.get(0) : null;
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		return getParameterMap().get(name);
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return Collections.enumeration(this.command.parameters().keySet());
	}

	@Override
	public @Nullable String getCharacterEncoding() {
		return this.encoding;
	}

	@Override
	public void setCharacterEncoding(String encoding) {
		this.encoding = encoding;
	}

	@Override
	public Locale getLocale() {
		return getLocales().nextElement();
	}

	@Override
	public Enumeration<Locale> getLocales() {
		List<Locale> locales = this.headers.getAcceptLanguageAsLocales();
		return Collections.enumeration(locales.isEmpty() ? List.of(Locale.getDefault()) : locales);
	}

	@Override
	public HttpSession getSession() {
		throw new IllegalStateException("A stored request has no session");
	}

	@Override
	public @Nullable HttpSession getSession(boolean create) {
		return create ? getSession() : null;
	}

	@Override
	public AsyncContext startAsync() {
		throw new IllegalStateException("A stored request is not answered asynchronously");
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		return startAsync();
	}

}
