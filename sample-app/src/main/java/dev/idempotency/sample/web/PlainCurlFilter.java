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
package dev.idempotency.sample.web;

import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Allows {@code curl -d '{…}'} without {@code -H 'Content-Type: …'}: curl declares every
 * body as a form. An HTML form cannot send an {@code Idempotency-Key} header, so a POST
 * that has one is a call of the API, and the API only accepts JSON.
 * <p>
 * It comes first, before other filters read the parameters, which would consume the body.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class PlainCurlFilter extends OncePerRequestFilter {

	private final String keyHeader;

	PlainCurlFilter(@Value("${idempotency.header:Idempotency-Key}") String keyHeader) {
		this.keyHeader = keyHeader;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		boolean fromCurl = request.getMethod().equals("POST") && request.getHeader(this.keyHeader) != null
				&& MediaType.APPLICATION_FORM_URLENCODED_VALUE.equals(request.getContentType());
		chain.doFilter(fromCurl ? new JsonRequest(request) : request, response);
	}

	/**
	 * The same request, declared as JSON.
	 */
	private static final class JsonRequest extends HttpServletRequestWrapper {

		JsonRequest(HttpServletRequest request) {
			super(request);
		}

		@Override
		public String getContentType() {
			return MediaType.APPLICATION_JSON_VALUE;
		}

		@Override
		public @Nullable String getHeader(String name) {
			return name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) ? getContentType() : super.getHeader(name);
		}

		@Override
		public Enumeration<String> getHeaders(String name) {
			return name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) ? Collections.enumeration(List.of(getContentType()))
					: super.getHeaders(name);
		}

	}

}
