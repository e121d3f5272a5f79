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

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

import dev.idempotency.IdempotencyException;
import dev.idempotency.RequestInProgressException;
import dev.idempotency.RequestInterruptedException;
import dev.idempotency.StoreUnavailableException;

/**
 * Writes RFC 9457 problem details, always as {@code application/problem+json}: a client
 * that retries has to be able to read them whatever it accepts.
 */
final class ProblemWriter {

	private final JsonMapper mapper = JsonMapper.shared();

	private final String documentation;

	/**
	 * Create a writer.
	 * @param documentation the address of the API's documentation, empty for none
	 */
	ProblemWriter(String documentation) {
		this.documentation = documentation;
	}

	void write(IdempotencyException exception, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (response.isCommitted()) {
			return;
		}
		ProblemType type = ProblemType.of(exception);
		HttpStatus status = type.status();
		ObservedOutcome.mark(request, type.typeName());
		response.resetBuffer();
		response.setStatus(status.value());
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		Duration retryAfter = retryAfter(exception);
		if (retryAfter != null) {
			response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, roundedUpSeconds(retryAfter))));
		}
		if (!this.documentation.isEmpty()) {
			response.addHeader(HttpHeaders.LINK, "<" + this.documentation + ">; rel=\"describedby\"");
		}
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		Map<String, Object> problem = new LinkedHashMap<>();
		problem.put("type", type.uri());
		problem.put("title", type.title());
		problem.put("status", status.value());
		problem.put("detail", String.valueOf(exception.getMessage()));
		problem.put("instance", request.getRequestURI());
		response.getOutputStream().write(this.mapper.writeValueAsBytes(problem));
	}

	private static @Nullable Duration retryAfter(IdempotencyException exception) {
		if (exception instanceof RequestInProgressException inProgress) {
			return inProgress.getRetryAfter();
		}
		if (exception instanceof RequestInterruptedException interrupted) {
			return interrupted.getRetryAfter();
		}
		return (exception instanceof StoreUnavailableException unavailable) ? unavailable.getRetryAfter() : null;
	}

	private static long roundedUpSeconds(Duration duration) {
		return duration.plusNanos(999_999_999).toSeconds();
	}

}
