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
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests that a page of another site makes a browser send. Browsers say where a
 * request comes from in {@code Sec-Fetch-Site}, or at least in {@code Origin}; other
 * clients send neither and cannot be misled.
 */
final class CrossSiteFilter extends OncePerRequestFilter {

	private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

	private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (SAFE_METHODS.contains(request.getMethod()) || isOwn(request)) {
			chain.doFilter(request, response);
		}
		else {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
		}
	}

	private static boolean isOwn(HttpServletRequest request) {
		String site = request.getHeader("Sec-Fetch-Site");
		if (site != null) {
			return OWN_SITES.contains(site);
		}
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		return origin == null || origin.replaceFirst("^https?://", "").equals(request.getHeader(HttpHeaders.HOST));
	}

}
