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

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Translates the library's problem details into Stripe's error format, the only one that
 * Stripe's clients read.
 */
final class ProblemFilter extends OncePerRequestFilter {

	private final JsonMapper mapper;

	ProblemFilter(JsonMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		ContentCachingResponseWrapper answer = new ContentCachingResponseWrapper(response);
		chain.doFilter(request, answer);
		if (MediaType.APPLICATION_PROBLEM_JSON_VALUE.equals(answer.getContentType())) {
			String detail = this.mapper.readTree(answer.getContentAsByteArray()).path("detail").asString();
			answer.resetBuffer();
			translate(answer, HttpStatus.valueOf(answer.getStatus()), detail);
		}
		answer.copyBodyToResponse();
	}

	private void translate(HttpServletResponse answer, HttpStatus status, String detail) throws IOException {
		switch (status) {
			case UNPROCESSABLE_CONTENT ->
				ErrorBody.idempotencyError(null, detail).write(answer, HttpStatus.BAD_REQUEST, this.mapper);
			case CONFLICT ->
				ErrorBody.idempotencyError("idempotency_key_in_use", detail).write(answer, status, this.mapper);
			default ->
				(status.is5xxServerError() ? ErrorBody.apiError(detail) : ErrorBody.invalidRequest(null, detail, null))
					.write(answer, status, this.mapper);
		}
	}

}
