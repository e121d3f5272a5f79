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
package dev.idempotency.sample.demo;

import java.io.IOException;

import dev.idempotency.provider.LostAnswerValve;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;
import org.springframework.web.util.WebUtils;

/**
 * Runs requests that ask for a fault, and closes their connection instead of answering:
 * always, since a browser repeats a request when a reused connection is closed, and the
 * repetition must not be answered either. Faults need the role of an operator.
 */
final class DemoFaultFilter extends OncePerRequestFilter {

	private static final Log logger = LogFactory.getLog(DemoFaultFilter.class);

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return request.getHeader(DemoFault.HEADER) == null;
	}

	/**
	 * Tomcat answers an asynchronous request whose connection is closed with an error
	 * page, after all: such a request is answered.
	 */
	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (!request.isUserInRole("OPS")) {
			response.sendError(HttpStatus.FORBIDDEN.value());
			return;
		}
		DemoFault fault = DemoFault.askedFor(request);
		if (fault == null) {
			response.sendError(HttpStatus.BAD_REQUEST.value());
			return;
		}
		fault.bindTo(request);
		if (request.getDispatcherType() == DispatcherType.ASYNC) {
			chain.doFilter(request, response);
			copyTo(response);
		}
		else {
			withhold(request, new ContentCachingResponseWrapper(response), chain);
		}
	}

	/**
	 * The second dispatch gets the response that the first one was given.
	 */
	private static void copyTo(HttpServletResponse response) throws IOException {
		ContentCachingResponseWrapper withheld = WebUtils.getNativeResponse(response,
				ContentCachingResponseWrapper.class);
		if (withheld != null) {
			withheld.copyBodyToResponse();
		}
	}

	private static void withhold(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		try {
			chain.doFilter(request, response);
		}
		catch (ServletException ex) {
			if (!(ex.getRootCause() instanceof HandlerKilledError)) {
				throw ex;
			}
			logger.warn("A handler was killed on purpose: " + request.getMethod() + " " + request.getRequestURI());
		}
		if (!request.isAsyncStarted()) {
			LostAnswerValve.lose(request);
		}
	}

}
