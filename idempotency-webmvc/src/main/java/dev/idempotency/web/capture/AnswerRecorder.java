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

import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.codec.Answer.HeaderField;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.web.policy.WebSettings;
import dev.idempotency.web.problem.ObservedOutcome;

/**
 * A recorder that converts responses into answers and answers into responses.
 */
public final class AnswerRecorder {

	private final HeaderPolicy headerPolicy;

	private final int limit;

	private final String marker;

	private final StageObserver stages;

	/**
	 * Creates a recorder.
	 * @param settings the limit of bodies, the stored headers, and the marker of replays
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
	 * Captures a response, with the headers that an earlier dispatch has set.
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
	 * Sets the headers from before an error page on the response of that page.
	 * @return those of them that are stored
	 */
	public List<HeaderField> passOn(List<HeaderField> earlier, HttpServletResponse page) {
		CapturedHeaders.write(earlier, page);
		return this.headerPolicy.stored(earlier);
	}

	public Answer toAnswer(CapturingResponse captured) {
		return new Answer(captured.getStatus(), storedHeaders(captured), captured.capturedBody(),
				captured.isCommitted());
	}

	/**
	 * Sends the response to a request: the captured one, or a replay of the answer of
	 * another delivery.
	 * @param captured the captured response
	 * @param other the answer of another delivery, empty if there is none
	 * @param operation the operation
	 * @param request the request
	 * @param response the response to the client
	 */
	public void send(CapturingResponse captured, Optional<Answer> other, IdempotentOperation operation,
			HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (other.isPresent()) {
			ObservedOutcome.mark(request, ObservedOutcome.REPLAYED);
			this.stages.observe(Stage.REPLAY, operation.name(), operation.mode(), Stage.Outcome.REPLAYED,
					() -> replay(other.get(), response));
		}
		else {
			captured.release();
		}
	}

	private void replay(Answer answer, HttpServletResponse response) throws IOException {
		response.setStatus(answer.status());
		CapturedHeaders.write(answer.headers(), response);
		if (!this.marker.isEmpty()) {
			response.setHeader(this.marker, "true");
		}
		byte[] body = answer.body();
		if (body != null) {
			write(body, answer.committed(), response);
		}
	}

	/**
	 * Writes the body of an answer. If the handler has committed it, nothing that comes
	 * after the handler may change it. Its length is announced, which saves the chunks,
	 * except to a wrapper: that may still change the body, and gets it as from a handler
	 * that does not know the length.
	 */
	static void write(byte[] body, boolean committed, HttpServletResponse response) throws IOException {
		if (committed && !(response instanceof ServletResponseWrapper)) {
			response.setContentLengthLong(body.length);
		}
		if (body.length > 0) {
			response.getOutputStream().write(body);
		}
		if (committed) {
			response.flushBuffer();
		}
	}

}
