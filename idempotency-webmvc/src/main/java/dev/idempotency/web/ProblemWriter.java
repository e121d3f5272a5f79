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
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.RetryLaterException;
import dev.idempotency.web.problem.ProblemCustomizer;
import dev.idempotency.web.problem.ProblemType;

/**
 * A writer of problem details (RFC 9457). A browser gets the application's error page
 * instead.
 */
final class ProblemWriter {

	private final JsonMapper mapper = JsonMapper.shared();

	private final String header;

	private final String typeBase;

	private final String documentation;

	private final MessageSource messages;

	private final ObjectProvider<ProblemCustomizer> customizers;

	private final SingletonSupplier<NamedExceptionHandlers> named;

	/**
	 * Creates a writer.
	 * @param header name of the header that carries the key
	 * @param typeBase start of the URIs of all problem types
	 * @param documentation address of the documentation, empty for none
	 * @param messages the application's texts
	 * @param customizers change problems
	 * @param resolvers the application's exception resolvers
	 */
	ProblemWriter(String header, String typeBase, String documentation, MessageSource messages,
			ObjectProvider<ProblemCustomizer> customizers, ObjectProvider<HandlerExceptionResolver> resolvers) {
		this.header = header;
		this.typeBase = typeBase;
		this.documentation = documentation;
		this.messages = messages;
		this.customizers = customizers;
		this.named = SingletonSupplier.ofNullable(() -> NamedExceptionHandlers.find(resolvers.orderedStream()));
	}

	/**
	 * Answers with a problem. The application's own handlers of the library's exceptions
	 * come first.
	 */
	ModelAndView answer(IdempotencyException problem, HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler) throws IOException {
		NamedExceptionHandlers own = this.named.get();
		ModelAndView view = (own != null) ? own.resolveException(request, response, handler, problem) : null;
		if (view != null) {
			ResponseRecorder.observe(request, ProblemType.of(problem).typeName());
			return view;
		}
		write(problem, request, response);
		return new ModelAndView();
	}

	/**
	 * Writes a problem, unless the response is sent already.
	 */
	void write(IdempotencyException exception, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (response.isCommitted()) {
			return;
		}
		ProblemType type = ProblemType.of(exception);
		Long retryAfter = retryAfterSeconds(exception);
		ProblemDetail detail = describe(exception, type, retryAfter, RequestContextUtils.getLocale(request));
		this.customizers.orderedStream().forEach((customizer) -> customizer.customize(detail, exception));
		int status = type.status().value();
		ResponseRecorder.observe(request, type.typeName());
		response.resetBuffer();
		response.setStatus(status);
		writeHeaders(retryAfter, response);
		if (wantsErrorPage(request)) {
			response.sendError(status, detail.getDetail());
			return;
		}
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.getOutputStream()
			.write(this.mapper.writeValueAsBytes(members(detail, status, request.getRequestURI())));
	}

	/**
	 * Describes a problem with the texts of the {@link MessageSource} for the codes of
	 * the exception's class. The arguments of the detail are the name of the key's
	 * header, and the seconds to wait before a retry.
	 */
	private ProblemDetail describe(IdempotencyException exception, ProblemType type, @Nullable Long retryAfter,
			Locale locale) {
		return ErrorResponse.builder(exception, type.status(), String.valueOf(exception.getMessage()))
			.type(URI.create(type.uri(this.typeBase)))
			.title(type.title())
			.detailMessageArguments(this.header, (retryAfter != null) ? retryAfter : "")
			.build(this.messages, locale)
			.getBody();
	}

	/**
	 * Returns the value of the Retry-After header.
	 * @return whole seconds, at least one, {@code null} for no such header
	 */
	private static @Nullable Long retryAfterSeconds(IdempotencyException exception) {
		if (exception instanceof RetryLaterException later) {
			return Math.max(1, later.getRetryAfter().plusNanos(999_999_999).toSeconds());
		}
		return null;
	}

	private void writeHeaders(@Nullable Long retryAfter, HttpServletResponse response) {
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		if (retryAfter != null) {
			response.setHeader(HttpHeaders.RETRY_AFTER, retryAfter.toString());
		}
		if (!this.documentation.isEmpty()) {
			response.addHeader(HttpHeaders.LINK, "<" + this.documentation + ">; rel=\"describedby\"");
		}
	}

	/**
	 * Returns whether the response is the application's error page: the client is a
	 * browser, which accepts pages, and JSON not at all or with a lower quality. An error
	 * page itself is answered with a problem.
	 */
	private static boolean wantsErrorPage(HttpServletRequest request) {
		String accept = request.getHeader(HttpHeaders.ACCEPT);
		if (accept == null || request.getDispatcherType() == DispatcherType.ERROR) {
			return false;
		}
		try {
			List<MediaType> accepted = MediaType.parseMediaTypes(accept);
			return quality(accepted, ProblemWriter::isPage) > quality(accepted, ProblemWriter::isJson);
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	private static double quality(List<MediaType> accepted, Predicate<MediaType> kind) {
		return accepted.stream().filter(kind).mapToDouble(MediaType::getQualityValue).max().orElse(0);
	}

	private static boolean isPage(MediaType type) {
		return type.equalsTypeAndSubtype(MediaType.TEXT_HTML)
				|| type.equalsTypeAndSubtype(MediaType.APPLICATION_XHTML_XML);
	}

	private static boolean isJson(MediaType type) {
		return type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON) || "json".equals(type.getSubtypeSuffix());
	}

	/**
	 * Returns the members of RFC 9457, followed by the application's, which do not
	 * replace them.
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
