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

import java.util.Collections;
import java.util.Comparator;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Reports errors in Stripe's format.
 */
@RestControllerAdvice
class ErrorAdvice extends ResponseEntityExceptionHandler {

	@ExceptionHandler
	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	ErrorBody declined(CardDeclinedException ex) {
		return ErrorBody.cardDeclined();
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.NOT_FOUND)
	ErrorBody notFound(ChargeNotFoundException ex) {
		return ErrorBody.invalidRequest("resource_missing", "No such charge: '" + ex.id() + "'", "id");
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
	ErrorBody unexpected(RuntimeException ex) {
		this.logger.error("A request failed", ex);
		return ErrorBody.apiError("An unexpected error occurred.");
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(MethodArgumentNotValidException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		FieldError error = Collections.min(ex.getFieldErrors(), Comparator.comparing(FieldError::getField));
		return ResponseEntity.status(status).body(describe(error, Objects.requireNonNullElse(error.getCode(), "")));
	}

	private static ErrorBody describe(FieldError error, String constraint) {
		String param = error.getField();
		return switch (constraint) {
			case "NotNull" ->
				ErrorBody.invalidRequest("parameter_missing", "Missing required param: " + param + ".", param);
			case "typeMismatch" -> ErrorBody.invalidRequest("parameter_invalid_integer",
					"Invalid integer: " + error.getRejectedValue(), param);
			default -> ErrorBody.invalidRequest(null,
					Objects.requireNonNullElse(error.getDefaultMessage(), "is not valid"), param);
		};
	}

	@Override
	protected ResponseEntity<Object> handleExceptionInternal(Exception ex, @Nullable Object body, HttpHeaders headers,
			HttpStatusCode status, WebRequest request) {
		String message = Objects.requireNonNullElse(ex.getMessage(), "The request is not valid.");
		return ResponseEntity.status(status)
			.headers(headers)
			.body(status.is5xxServerError() ? ErrorBody.apiError("An unexpected error occurred.")
					: ErrorBody.invalidRequest(null, message, null));
	}

}
