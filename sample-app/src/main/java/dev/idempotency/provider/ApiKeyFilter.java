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
package dev.idempotency.provider;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Objects;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Admits callers with the secret key of a merchant.
 */
final class ApiKeyFilter extends OncePerRequestFilter {

	/**
	 * The request attribute with the calling merchant.
	 */
	static final String MERCHANT = "merchant";

	private static final String ONLY_MERCHANT = "acct_rocket_rides";

	private final byte[] expected;

	private final JsonMapper mapper;

	ApiKeyFilter(String apiKey, JsonMapper mapper) {
		this.expected = ("Bearer " + apiKey).getBytes(StandardCharsets.UTF_8);
		this.mapper = mapper;
	}

	static String currentMerchant() {
		RequestAttributes request = RequestContextHolder.currentRequestAttributes();
		return (String) Objects.requireNonNull(request.getAttribute(MERCHANT, RequestAttributes.SCOPE_REQUEST));
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String given = request.getHeader(HttpHeaders.AUTHORIZATION);
		if (given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), this.expected)) {
			request.setAttribute(MERCHANT, ONLY_MERCHANT);
			chain.doFilter(request, response);
		}
		else {
			response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
			ErrorBody.invalidRequest(null, "Invalid API key.", null)
				.write(response, HttpStatus.UNAUTHORIZED, this.mapper);
		}
	}

}
