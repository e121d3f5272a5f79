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

import java.util.Optional;
import java.io.IOException;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.validation.Errors;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.OutcomePolicy.Outcome;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.CapturingResponse;

/**
 * Ends the execution of a handler that has returned an answer:
 * <ol>
 * <li>A success, and a final answer below 500, is stored with the effects of the
 * handler.</li>
 * <li>Another final answer is stored, and the effects are rolled back.</li>
 * <li>An answer that is not final is not stored, and the effects are rolled back.</li>
 * <li>A failure by {@code sendError} is left to the error page.</li>
 * </ol>
 *
 * @param answers makes answers of responses
 * @param outcomePolicy which outcomes are final
 * @param errorPage writes the body of a success by {@code sendError}
 */
record Conclusion(AnswerRecorder answers, OutcomePolicy outcomePolicy, ErrorPage errorPage) {

	/**
	 * Ends an execution.
	 * @param exchange the exchange
	 * @param request the request
	 * @param captured the answer
	 * @param model the model of its view, {@code null} if it has none
	 * @return the answer of another delivery, to be sent instead
	 */
	Optional<Answer> conclude(IdempotentExchange exchange, HttpServletRequest request, CapturingResponse captured,
			@Nullable Map<String, Object> model) throws ServletException, IOException {
		if (captured.isError() && isSuccess(captured.getStatus())) {
			this.errorPage.render(request, captured);
		}
		if (captured.isError()) {
			exchange.reject();
			exchange.awaitErrorPage(this.answers.storedHeaders(captured));
			return Optional.empty();
		}
		int status = captured.getStatus();
		boolean rejected = isFormRefused(model, request);
		boolean isFinal = !rejected && this.outcomePolicy.isFinal(new Outcome(status, null));
		if (!rejected && (isSuccess(status) || (isFinal && status < HttpServletResponse.SC_INTERNAL_SERVER_ERROR))) {
			return exchange.finish(this.answers.toAnswer(captured));
		}
		exchange.reject();
		if (isFinal) {
			return exchange.storeFailure(this.answers.toAnswer(captured));
		}
		exchange.endUnanswered();
		return Optional.empty();
	}

	/**
	 * Returns whether the client sees a success, which no policy can revoke.
	 */
	private static boolean isSuccess(int status) {
		return status < HttpServletResponse.SC_BAD_REQUEST;
	}

	/**
	 * Returns whether a form is shown again with its errors. Such an answer is not an
	 * outcome of the operation: it asks for a corrected form, which has the same key. The
	 * flash attributes are the model of the next request.
	 */
	private static boolean isFormRefused(@Nullable Map<String, ?> model, HttpServletRequest request) {
		FlashMap flash = RequestContextUtils.getOutputFlashMap(request);
		return (model != null && hasErrors(model)) || (flash != null && hasErrors(flash));
	}

	private static boolean hasErrors(Map<String, ?> model) {
		return model.values().stream().anyMatch((value) -> value instanceof Errors errors && errors.hasErrors());
	}

}
