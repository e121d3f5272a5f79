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
package dev.idempotency.conformance.replay;

import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.web.filter.RelativeRedirectFilter;
import org.springframework.web.servlet.resource.ResourceUrlEncodingFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Filters that surround the response of a handler, as applications have them. To try
 * another one, add it here.
 */
enum ResponseFilters {

	NOTHING((response, chain) -> chain.pass(response)),

	WRITER_TAKEN((response, chain) -> {
		response.getWriter();
		chain.pass(response);
	}),

	WRITER_TAKEN_AS_UTF_8((response, chain) -> {
		response.setCharacterEncoding("UTF-8");
		response.getWriter();
		chain.pass(response);
	}),

	WRITTEN_BEFORE((response, chain) -> {
		response.getWriter().print("before ");
		chain.pass(response);
	}),

	WRITTEN_AFTER((response, chain) -> {
		chain.pass(response);
		printFooter(response);
	}),

	STREAM_TAKEN((response, chain) -> {
		response.getOutputStream();
		chain.pass(response);
	}),

	CHARACTERS((response, chain) -> {
		Characters characters = new Characters(response);
		chain.pass(characters);
		if (characters.written.size() > 0) {
			response.getWriter().print("<p>" + characters.written.toString().toUpperCase(Locale.ROOT) + "</p>");
		}
	}),

	CHOSEN_BY_TYPE((response, chain) -> chain.pass(new ChosenByType(response))),

	CACHED((response, chain) -> {
		ContentCachingResponseWrapper cached = new ContentCachingResponseWrapper(response);
		chain.pass(cached);
		cached.copyBodyToResponse();
	}),

	ENCODED_URLS((response, chain) -> chain.pass(new EncodedUrls(response))),

	RESOURCE_URLS(new ResourceUrlEncodingFilter()),

	RELATIVE_REDIRECTS(new RelativeRedirectFilter()),

	REDIRECTS_AS_JSON((response, chain) -> chain.pass(new RedirectsAsJson(response))),

	ERRORS_AS_TEXT((response, chain) -> chain.pass(new ErrorsAsText(response))),

	HEADERS((response, chain) -> {
		response.setHeader("X-Filter", "1");
		response.setContentType("text/html");
		chain.pass(response);
	});

	private final Filter filter;

	ResponseFilters(Surrounding surrounding) {
		this((request, response, chain) -> surrounding.apply((HttpServletResponse) response,
				(inner) -> chain.doFilter(request, inner)));
	}

	ResponseFilters(Filter filter) {
		this.filter = filter;
	}

	private static void printFooter(HttpServletResponse response) throws IOException {
		try {
			response.getWriter().print(" after");
		}
		catch (IllegalStateException ex) {
			response.getOutputStream().print(" after");
		}
	}

	Filter filter() {
		return this.filter;
	}

	private interface Surrounding {

		void apply(HttpServletResponse response, Chain chain) throws IOException, ServletException;

	}

	private interface Chain {

		void pass(HttpServletResponse response) throws IOException, ServletException;

	}

	/**
	 * A response that collects what is written by its writer.
	 */
	private static final class Characters extends HttpServletResponseWrapper {

		private final CharArrayWriter written = new CharArrayWriter();

		private final PrintWriter writer = new PrintWriter(this.written);

		Characters(HttpServletResponse response) {
			super(response);
		}

		@Override
		public PrintWriter getWriter() {
			return this.writer;
		}

	}

	/**
	 * A response that decides by the content type what happens to the stream, such as its
	 * compression.
	 */
	private static final class ChosenByType extends HttpServletResponseWrapper {

		ChosenByType(HttpServletResponse response) {
			super(response);
		}

		@Override
		public ServletOutputStream getOutputStream() throws IOException {
			ServletOutputStream stream = super.getOutputStream();
			String type = getContentType();
			if (type == null || !type.startsWith("text/")) {
				return stream;
			}
			return new ServletOutputStream() {

				@Override
				public void write(int b) throws IOException {
					stream.write(Character.toUpperCase(b));
				}

				@Override
				public boolean isReady() {
					return stream.isReady();
				}

				@Override
				public void setWriteListener(WriteListener listener) {
					stream.setWriteListener(listener);
				}

			};
		}

	}

	private static final class EncodedUrls extends HttpServletResponseWrapper {

		EncodedUrls(HttpServletResponse response) {
			super(response);
		}

		@Override
		public String encodeURL(String url) {
			return super.encodeURL(url) + "?v=1";
		}

		@Override
		public String encodeRedirectURL(String url) {
			return super.encodeRedirectURL(url) + "?v=1";
		}

	}

	private static final class RedirectsAsJson extends HttpServletResponseWrapper {

		RedirectsAsJson(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void sendRedirect(String location) throws IOException {
			setStatus(SC_OK);
			setContentType("application/json");
			getWriter().print("{\"redirect\":\"" + location + "\"}");
		}

	}

	private static final class ErrorsAsText extends HttpServletResponseWrapper {

		ErrorsAsText(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void sendError(int status) throws IOException {
			setStatus(status);
			setContentType("text/plain");
			getWriter().print("Error " + status);
		}

		@Override
		public void sendError(int status, @Nullable String message) throws IOException {
			setStatus(status);
			setContentType("text/plain");
			getWriter().print("Error " + status + ": " + message);
		}

	}

}
