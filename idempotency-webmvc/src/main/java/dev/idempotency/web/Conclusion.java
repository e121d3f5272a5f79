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
import java.util.Map;
import java.util.Optional;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.validation.Errors;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.support.RequestContextUtils;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.OutcomePolicy.Outcome;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.web.capture.AnswerRecorder;
import dev.idempotency.web.capture.CapturingResponse;
import dev.idempotency.web.recovery.CommandDispatcher;

/**
 * The end of an execution whose handler has returned an answer:
 * <ol>
 * <li>A success, and a final answer below 500, is stored with the effects of the
 * handler.</li>
 * <li>Another final answer is stored, and the effects are rolled back.</li>
 * <li>An answer that is not final is not stored, and the effects are rolled back. If it
 * ends the request for the client, only the client resumes what is done.</li>
 * <li>A failure by {@code sendError} is left to the error page.</li>
 * </ol>
 *
 * @param answers converts responses to answers
 * @param outcomePolicy decides which outcomes are final
 * @param dispatcher shows the application's error page
 */
record Conclusion(AnswerRecorder answers, OutcomePolicy outcomePolicy, CommandDispatcher dispatcher) {

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
			renderErrorPage(request, captured);
		}
		if (captured.isError()) {
			exchange.run().reject();
			exchange.run().awaitErrorPage(this.answers.storedHeaders(captured));
			return Optional.empty();
		}
		int status = captured.getStatus();
		boolean rejected = isFormRefused(model, request);
		boolean isFinal = !rejected && this.outcomePolicy.isFinal(new Outcome(status, null));
		if (!rejected && (isSuccess(status) || (isFinal && status < HttpServletResponse.SC_INTERNAL_SERVER_ERROR))) {
			return exchange.run().finish(this.answers.toAnswer(captured));
		}
		exchange.run().reject();
		if (isFinal) {
			return exchange.run().storeFailure(this.answers.toAnswer(captured));
		}
		exchange.run().endUnstored(status);
		return Optional.empty();
	}

	/**
	 * Writes the application's error page into the response of a success that the handler
	 * sends with {@code sendError}: its body has to be complete before the transaction
	 * commits. Without a page the body is empty, like the container's own for a success.
	 */
	private void renderErrorPage(HttpServletRequest request, CapturingResponse captured)
			throws ServletException, IOException {
		HttpServletRequest page = this.dispatcher.errorPage(request, captured.getStatus(), captured.errorMessage(),
				null);
		captured.reopen();
		if (page != null) {
			// The page is not protected, not asynchronous, and not observed as the
			// request.
			IdempotentExchange.hideIn(page);
			page.setAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, null);
			page.setAttribute(ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, null);
			this.dispatcher.dispatch(page, captured);
		}
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
