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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.web.endpoint.WebSettings;
import dev.idempotency.web.problem.ObservedOutcome;

/**
 * A recorder that converts responses into answers and answers into responses.
 */
public final class ResponseRecorder {

	private final SessionIds sessionIds;

	private final HeaderPolicy headerPolicy;

	private final int limit;

	private final String marker;

	/**
	 * Creates a recorder.
	 * @param settings the limit of bodies, the stored headers, and the marker of replays
	 */
	public ResponseRecorder(WebSettings settings) {
		this.sessionIds = new SessionIds(settings.sessionParameters());
		this.headerPolicy = new HeaderPolicy(settings.deniedHeaders(), this.sessionIds);
		this.limit = settings.maxResponseBody();
		this.marker = settings.marker();
	}

	public CapturingResponse capture(HttpServletResponse response) {
		return new CapturingResponse(response, this.limit, this.sessionIds);
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

	/**
	 * Returns the answer to store, after which the response does not change.
	 * @throws IllegalStateException if the answer cannot be sent
	 */
	public StoredResponse toAnswer(CapturingResponse captured) throws IOException {
		captured.seal();
		return new StoredResponse(captured.getStatus(), storedHeaders(captured), captured.capturedBody(),
				captured.writing());
	}

	/**
	 * Sends the response to a request: the captured one, or a replay of the answer of
	 * another delivery.
	 * @param captured the captured response
	 * @param other the answer of another delivery, empty if there is none
	 * @param request the request
	 * @param response the response to the client
	 */
	public void send(CapturingResponse captured, Optional<StoredResponse> other, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		if (other.isPresent()) {
			requireResponse(other.get());
			ObservedOutcome.mark(request, ObservedOutcome.REPLAYED);
			replay(other.get(), response);
		}
		else {
			captured.release();
		}
	}

	/**
	 * Fails if the status in the row is not that of a response: the row was damaged.
	 */
	private static void requireResponse(StoredResponse answer) {
		if (answer.status() < HttpServletResponse.SC_OK) {
			throw new NotReplayableException(
					new IllegalStateException("The stored status " + answer.status() + " is not that of a response"));
		}
	}

	private void replay(StoredResponse answer, HttpServletResponse response) throws IOException {
		if (answer.writing().reset()) {
			response.reset();
		}
		List<HeaderField> fields = new ArrayList<>(answer.headers());
		if (!this.marker.isEmpty()) {
			fields.add(new HeaderField(this.marker, "true", false));
		}
		byte[] body = (answer.body() != null) ? answer.body() : new byte[0];
		ResponseSender.send(answer.status(), fields, answer.writing(), new ResponseSender.Bytes(body), response);
	}

}
