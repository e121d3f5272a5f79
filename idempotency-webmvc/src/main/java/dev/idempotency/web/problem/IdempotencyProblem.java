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

import java.net.URI;
import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.context.MessageSource;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.exception.RequestInterruptedException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.exception.TooManyOpenRequestsException;

/**
 * An exception of the library in the form of Spring's error responses: its texts come
 * from a {@link MessageSource} under the codes of its class. The arguments of the detail
 * are the name of the key's header, and the seconds after which a retry makes sense.
 */
final class IdempotencyProblem implements ErrorResponse {

	private final IdempotencyException exception;

	private final ProblemType type;

	private final String header;

	private final ProblemDetail body;

	/**
	 * Creates a problem.
	 * @param exception the exception
	 * @param header name of the header that carries the key
	 * @param typeBase start of the URIs of all problem types
	 */
	IdempotencyProblem(IdempotencyException exception, String header, String typeBase) {
		this.exception = exception;
		this.type = ProblemType.of(exception);
		this.header = header;
		this.body = ProblemDetail.forStatusAndDetail(this.type.status(), String.valueOf(exception.getMessage()));
		this.body.setType(URI.create(this.type.uri(typeBase)));
		this.body.setTitle(this.type.title());
	}

	ProblemType type() {
		return this.type;
	}

	@Override
	public HttpStatusCode getStatusCode() {
		return this.type.status();
	}

	@Override
	public ProblemDetail getBody() {
		return this.body;
	}

	@Override
	public String getTypeMessageCode() {
		return ErrorResponse.getDefaultTypeMessageCode(this.exception.getClass());
	}

	@Override
	public String getTitleMessageCode() {
		return ErrorResponse.getDefaultTitleMessageCode(this.exception.getClass());
	}

	@Override
	public String getDetailMessageCode() {
		return ErrorResponse.getDefaultDetailMessageCode(this.exception.getClass(), null);
	}

	@Override
	public Object[] getDetailMessageArguments(MessageSource messages, Locale locale) {
		Long seconds = retryAfterSeconds();
		return new Object[] { this.header, (seconds != null) ? seconds : "" };
	}

	/**
	 * The value of the Retry-After header.
	 * @return whole seconds, at least one, {@code null} for no such header
	 */
	@Nullable Long retryAfterSeconds() {
		Duration duration = retryAfter();
		return (duration != null) ? Math.max(1, duration.plusNanos(999_999_999).toSeconds()) : null;
	}

	private @Nullable Duration retryAfter() {
		if (this.exception instanceof RequestInProgressException inProgress) {
			return inProgress.getRetryAfter();
		}
		if (this.exception instanceof RequestInterruptedException interrupted) {
			return interrupted.getRetryAfter();
		}
		if (this.exception instanceof TooManyOpenRequestsException tooMany) {
			return tooMany.getRetryAfter();
		}
		return (this.exception instanceof StoreUnavailableException unavailable) ? unavailable.getRetryAfter() : null;
	}

}
