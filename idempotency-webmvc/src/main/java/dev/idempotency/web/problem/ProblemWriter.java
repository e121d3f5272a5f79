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
package dev.idempotency.web.problem;

import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.web.capture.ObservedOutcome;
import dev.idempotency.web.request.WebSettings;

/**
 * Writes problem details (RFC 9457). A browser gets the application's error page instead.
 */
public final class ProblemWriter {

	private final JsonMapper mapper = JsonMapper.shared();

	private final WebSettings settings;

	private final MessageSource messages;

	private final ObjectProvider<ProblemCustomizer> customizers;

	/**
	 * Creates a writer.
	 * @param settings names of headers and types
	 * @param messages the application's texts
	 * @param customizers change problems
	 */
	public ProblemWriter(WebSettings settings, MessageSource messages, ObjectProvider<ProblemCustomizer> customizers) {
		this.settings = settings;
		this.messages = messages;
		this.customizers = customizers;
	}

	void write(IdempotencyException exception, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (response.isCommitted()) {
			return;
		}
		IdempotencyProblem problem = new IdempotencyProblem(exception, this.settings);
		ProblemDetail detail = problem.updateAndGetBody(this.messages, RequestContextUtils.getLocale(request));
		this.customizers.orderedStream().forEach((customizer) -> customizer.customize(detail, exception));
		int status = problem.type().status().value();
		ObservedOutcome.mark(request, problem.type().typeName());
		response.resetBuffer();
		response.setStatus(status);
		writeHeaders(problem, response);
		if (BrowserRequest.wantsErrorPage(request)) {
			response.sendError(status, detail.getDetail());
			return;
		}
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.getOutputStream()
			.write(this.mapper.writeValueAsBytes(members(detail, status, request.getRequestURI())));
	}

	private void writeHeaders(IdempotencyProblem problem, HttpServletResponse response) {
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		Long retryAfter = problem.retryAfterSeconds();
		if (retryAfter != null) {
			response.setHeader(HttpHeaders.RETRY_AFTER, retryAfter.toString());
		}
		if (!this.settings.documentation().isEmpty()) {
			response.addHeader(HttpHeaders.LINK, "<" + this.settings.documentation() + ">; rel=\"describedby\"");
		}
	}

	/**
	 * The members of RFC 9457 come first, and none of an application's own replaces one.
	 */
	private static Map<String, Object> members(ProblemDetail detail, int status, String path) {
		Map<String, @Nullable Object> members = new LinkedHashMap<>();
		members.put("type", String.valueOf(detail.getType()));
		members.put("title", String.valueOf(detail.getTitle()));
		members.put("status", status);
		members.put("detail", String.valueOf(detail.getDetail()));
		URI instance = detail.getInstance();
		members.put("instance", (instance != null) ? instance.toString() : path);
		Map<String, Object> own = detail.getProperties();
		if (own != null) {
			own.forEach(members::putIfAbsent);
		}
		return members;
	}

}
