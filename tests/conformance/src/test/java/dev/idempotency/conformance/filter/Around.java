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
package dev.idempotency.conformance.filter;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.util.StreamUtils;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.filter.CommonsRequestLoggingFilter;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.filter.HiddenHttpMethodFilter;
import org.springframework.web.util.ContentCachingRequestWrapper;

/**
 * The filters in front of a pair of handlers, as applications have them. To try another
 * one, add it here.
 */
enum Around {

	NOTHING(null, Body.PASSED_ON),

	CHARACTER_ENCODING(new CharacterEncodingFilter("UTF-8", true), Body.PASSED_ON),

	FORWARDED_HEADERS(new ForwardedHeaderFilter(), Body.PASSED_ON),

	HIDDEN_METHOD(new HiddenHttpMethodFilter(), Body.PASSED_ON),

	REQUEST_LOGGING(logging(), Body.PASSED_ON),

	CONTENT_CACHING((request, response, chain) -> chain.doFilter(caching(request), response), Body.PASSED_ON),

	/** Logs the body while it is read. */
	TEE((request, response, chain) -> chain.doFilter(new Tee(http(request)), response), Body.PASSED_ON),

	/** Can be read again, and has read everything before. */
	CACHED((request, response, chain) -> chain
		.doFilter(new Replacing(http(request), request.getInputStream().readAllBytes()), response), Body.PASSED_ON),

	CACHED_BY_READER(
			(request, response, chain) -> chain.doFilter(
					new Replacing(http(request), read(request.getReader()).getBytes(StandardCharsets.UTF_8)), response),
			Body.PASSED_ON),

	/** Removes markup from parameters. */
	CLEANED_PARAMETERS(
			(request, response, chain) -> chain
				.doFilter(new Parameters(http(request), (value) -> value.replaceAll("<[^>]*>", ""), null), response),
			Body.PASSED_ON),

	/** Removes markup from the body. */
	CLEANED_BODY((request, response, chain) -> chain.doFilter(
			new Replacing(http(request),
					text(request.getInputStream()).replaceAll("<[^>]*>", "").getBytes(StandardCharsets.UTF_8)),
			response), Body.PASSED_ON),

	/** Sets a parameter itself, whatever the client has sent. */
	PINNED((request, response, chain) -> chain.doFilter(new Parameters(http(request), (value) -> value, "filter"),
			response), Body.PASSED_ON),

	/** Reads parameters, as filters against forged requests do. */
	PARAMETER_READ((request, response, chain) -> {
		request.getParameter("_csrf");
		chain.doFilter(request, response);
	}, Body.PASSED_ON),

	DRAINED((request, response, chain) -> {
		request.setAttribute(Around.TAKEN, text(request.getInputStream()));
		chain.doFilter(request, response);
	}, Body.TAKEN),

	/** Drained, and with a parameter that is not the body's. */
	DRAINED_AND_PINNED((request, response, chain) -> {
		request.setAttribute(Around.TAKEN, text(request.getInputStream()));
		chain.doFilter(new Parameters(http(request), (value) -> value, "filter"), response);
	}, Body.TAKEN),

	DRAINED_CACHING((request, response, chain) -> {
		ContentCachingRequestWrapper wrapper = caching(request);
		request.setAttribute(Around.TAKEN, text(wrapper.getInputStream()));
		chain.doFilter(wrapper, response);
	}, Body.TAKEN),

	BEGUN((request, response, chain) -> {
		request.setAttribute(Around.TAKEN, new String(request.getInputStream().readNBytes(4), StandardCharsets.UTF_8));
		chain.doFilter(request, response);
	}, Body.TAKEN),

	BEGUN_CACHING((request, response, chain) -> {
		ContentCachingRequestWrapper wrapper = caching(request);
		request.setAttribute(Around.TAKEN, new String(wrapper.getInputStream().readNBytes(4), StandardCharsets.UTF_8));
		chain.doFilter(wrapper, response);
	}, Body.TAKEN),

	DRAINED_BY_READER((request, response, chain) -> {
		request.setAttribute(Around.TAKEN, read(request.getReader()));
		chain.doFilter(request, response);
	}, Body.TAKEN),

	READER_OPENED((request, response, chain) -> {
		request.getReader();
		request.setAttribute(Around.TAKEN, "opened");
		chain.doFilter(request, response);
	}, Body.TAKEN);

	/** The attribute with the body, for handlers that get it from there. */
	static final String TAKEN = "taken";

	private final @Nullable Filter filter;

	private final Body body;

	Around(@Nullable Filter filter, Body body) {
		this.filter = filter;
		this.body = body;
	}

	@Nullable Filter filter() {
		return this.filter;
	}

	boolean takesTheBody() {
		return this.body == Body.TAKEN;
	}

	/**
	 * Returns whether the filter leaves the rest of the body, in which a parser finds the
	 * parts that are left.
	 */
	boolean begins() {
		return this == BEGUN || this == BEGUN_CACHING;
	}

	/**
	 * Returns whether the filter has the bytes, and the container finds no parts.
	 */
	boolean replacesTheStream() {
		return this == CACHED || this == CACHED_BY_READER || this == CLEANED_BODY;
	}

	private enum Body {

		PASSED_ON, TAKEN

	}

	private static HttpServletRequest http(Object request) {
		return (HttpServletRequest) request;
	}

	private static ContentCachingRequestWrapper caching(Object request) {
		return new ContentCachingRequestWrapper(http(request), 8192);
	}

	private static String text(InputStream in) throws IOException {
		return StreamUtils.copyToString(in, StandardCharsets.UTF_8);
	}

	private static String read(BufferedReader reader) throws IOException {
		StringBuilder text = new StringBuilder();
		for (int c = reader.read(); c >= 0; c = reader.read()) {
			text.append((char) c);
		}
		return text.toString();
	}

	private static CommonsRequestLoggingFilter logging() {
		CommonsRequestLoggingFilter filter = new CommonsRequestLoggingFilter() {

			@Override
			protected boolean shouldLog(HttpServletRequest request) {
				return true;
			}

		};
		filter.setIncludePayload(true);
		filter.setIncludeQueryString(true);
		return filter;
	}

	/**
	 * Copies what is read to a log.
	 */
	private static final class Tee extends HttpServletRequestWrapper {

		private final StringBuilder log = new StringBuilder();

		private @Nullable ServletInputStream stream;

		Tee(HttpServletRequest request) {
			super(request);
		}

		@Override
		public ServletInputStream getInputStream() throws IOException {
			if (this.stream == null) {
				InputStream in = super.getInputStream();
				this.stream = new DelegatingServletInputStream(new InputStream() {

					@Override
					public int read() throws IOException {
						int read = in.read();
						if (read >= 0) {
							Tee.this.log.append((char) read);
						}
						return read;
					}

				});
			}
			return this.stream;
		}

		@Override
		public BufferedReader getReader() throws IOException {
			return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
		}

	}

	/**
	 * Has a body of its own, which can be read any number of times.
	 */
	private static final class Replacing extends HttpServletRequestWrapper {

		private final byte[] body;

		Replacing(HttpServletRequest request, byte[] body) {
			super(request);
			this.body = body;
		}

		@Override
		public ServletInputStream getInputStream() {
			return new DelegatingServletInputStream(new ByteArrayInputStream(this.body));
		}

		@Override
		public BufferedReader getReader() {
			return new BufferedReader(new StringReader(new String(this.body, StandardCharsets.UTF_8)));
		}

	}

	/**
	 * Changes parameters.
	 */
	private static final class Parameters extends HttpServletRequestWrapper {

		private final UnaryOperator<String> cleaner;

		private final @Nullable String owner;

		Parameters(HttpServletRequest request, UnaryOperator<String> cleaner, @Nullable String owner) {
			super(request);
			this.cleaner = cleaner;
			this.owner = owner;
		}

		@Override
		public Map<String, String[]> getParameterMap() {
			Map<String, String[]> changed = new LinkedHashMap<>();
			super.getParameterMap().forEach((name, values) -> changed.put(name,
					Arrays.stream(values).map(this.cleaner).toArray(String[]::new)));
			if (this.owner != null) {
				changed.put("owner", new String[] { this.owner });
			}
			return changed;
		}

		@Override
		public @Nullable String getParameter(String name) {
			String[] values = getParameterValues(name);
			return (values != null) ? values[0] : null;
		}

		@Override
		public String @Nullable [] getParameterValues(String name) {
			return getParameterMap().get(name);
		}

		@Override
		public Enumeration<String> getParameterNames() {
			return Collections.enumeration(getParameterMap().keySet());
		}

	}

}
