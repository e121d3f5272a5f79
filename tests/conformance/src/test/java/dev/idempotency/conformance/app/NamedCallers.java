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
package dev.idempotency.conformance.app;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * A filter as applications write it for tokens of their own: the caller is what a test
 * has registered under the name in the header {@code X-As}. It stands behind the filters
 * of Spring Security, for paths under {@code /open}.
 */
public class NamedCallers extends OncePerRequestFilter {

	public static final String HEADER = "X-As";

	private static final Map<String, Supplier<Authentication>> CALLERS = new ConcurrentHashMap<>();

	/**
	 * Registers a caller.
	 * @param name the value of the header
	 * @param authentication makes the authentication of each request
	 */
	public static void register(String name, Supplier<Authentication> authentication) {
		CALLERS.put(name, authentication);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String name = request.getHeader(HEADER);
		if (name == null) {
			chain.doFilter(request, response);
			return;
		}
		SecurityContext before = SecurityContextHolder.getContext();
		SecurityContext context = SecurityContextHolder.createEmptyContext();
		context.setAuthentication(CALLERS.get(name).get());
		SecurityContextHolder.setContext(context);
		try {
			chain.doFilter(request, response);
		}
		finally {
			SecurityContextHolder.setContext(before);
		}
	}

}
