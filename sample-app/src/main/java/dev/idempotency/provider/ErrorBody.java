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

import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * An error in <a href="https://docs.stripe.com/api/errors">Stripe's</a> envelope.
 *
 * @param error the error
 */
record ErrorBody(Detail error) {

	static ErrorBody invalidRequest(@Nullable String code, String message, @Nullable String param) {
		return new ErrorBody(new Detail("invalid_request_error", code, null, message, param));
	}

	static ErrorBody cardDeclined() {
		return new ErrorBody(
				new Detail("card_error", "card_declined", "generic_decline", "Your card was declined.", null));
	}

	static ErrorBody idempotencyError(@Nullable String code, String message) {
		return new ErrorBody(new Detail("idempotency_error", code, null, message, null));
	}

	static ErrorBody apiError(String message) {
		return new ErrorBody(new Detail("api_error", null, null, message, null));
	}

	/**
	 * Writes the answer without message conversion.
	 */
	void write(HttpServletResponse response, HttpStatus status, JsonMapper mapper) throws IOException {
		response.setStatus(status.value());
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.getOutputStream().write(mapper.writeValueAsBytes(this));
	}

	/**
	 * The error.
	 *
	 * @param type the kind of error, which decides what a client does about it
	 * @param code the error, for programs
	 * @param declineCode the reason for a declined card
	 * @param message the error, for people
	 * @param param the parameter that is wrong
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Detail(String type, @Nullable String code, @Nullable String declineCode, String message,
			@Nullable String param) {
	}

}
