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
package dev.idempotency.web.capture;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpEntity;
import org.springframework.web.method.HandlerMethod;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.web.policy.WebSettings;
import dev.idempotency.web.problem.ObservedOutcome;

/**
 * Converts responses into answers and answers into responses.
 */
public final class AnswerRecorder {

	private final HeaderPolicy headerPolicy;

	private final int limit;

	private final String marker;

	private final StageObserver stages;

	/**
	 * Creates a recorder.
	 * @param settings what is stored, and how a replay is marked
	 * @param stages the observer of requests
	 */
	public AnswerRecorder(WebSettings settings, StageObserver stages) {
		this.headerPolicy = new HeaderPolicy(settings.deniedHeaders(), settings.allowedHeaders(),
				settings.sessionParameters());
		this.limit = settings.maxResponseBody();
		this.marker = settings.marker();
		this.stages = stages;
	}

	public CapturingResponse capture(HttpServletResponse response) {
		return new CapturingResponse(response, this.limit);
	}

	/**
	 * Captures a response on which an earlier dispatch has set headers.
	 */
	public CapturingResponse capture(HttpServletResponse response, List<HeaderField> earlier) {
		CapturingResponse captured = capture(response);
		CapturedHeaders.write(earlier, captured);
		return captured;
	}

	public List<HeaderField> storedHeaders(CapturingResponse captured) {
		return this.headerPolicy.stored(captured.fields());
	}

	/**
	 * Sets headers from before an error page on its response.
	 * @return those of them that are stored
	 */
	public List<HeaderField> passOn(List<HeaderField> earlier, HttpServletResponse page) {
		CapturedHeaders.write(earlier, page);
		return this.headerPolicy.stored(earlier);
	}

	public Answer toAnswer(CapturingResponse captured) {
		return new Answer(captured.getStatus(), storedHeaders(captured), captured.capturedBody());
	}

	/**
	 * Sends the response to a request: the captured one, or a replay of the answer of
	 * another delivery.
	 * @param captured the captured response
	 * @param other the answer of another delivery, empty if there is none
	 * @param operation the operation
	 * @param handler its handler
	 * @param request the request
	 * @param response the response to the client
	 */
	public void send(CapturingResponse captured, Optional<Answer> other, IdempotentOperation operation,
			HandlerMethod handler, HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (other.isPresent()) {
			replay(other.get(), operation, handler, request, response);
		}
		else {
			captured.release();
		}
	}

	private void replay(Answer answer, IdempotentOperation operation, HandlerMethod handler, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		ObservedOutcome.mark(request, ObservedOutcome.REPLAYED);
		this.stages.observe(Stage.REPLAY, operation.name(), operation.mode(), Stage.Outcome.REPLAYED,
				() -> write(answer, isCommitted(handler), response));
	}

	/**
	 * Returns whether Spring MVC commits the response of a handler that writes a body, so
	 * that nothing that comes after the handler can change it: on a replay it cannot
	 * either.
	 */
	private static boolean isCommitted(HandlerMethod handler) {
		return HttpEntity.class.isAssignableFrom(handler.getReturnType().getParameterType());
	}

	private void write(Answer answer, boolean commit, HttpServletResponse response) throws IOException {
		response.setStatus(answer.status());
		CapturedHeaders.write(answer.headers(), response);
		if (!this.marker.isEmpty()) {
			response.setHeader(this.marker, "true");
		}
		byte[] body = answer.body();
		if (body == null || body.length == 0) {
			return;
		}
		if (commit) {
			Framing.announce(body.length, response);
		}
		response.getOutputStream().write(body);
		if (commit) {
			response.flushBuffer();
		}
	}

}
