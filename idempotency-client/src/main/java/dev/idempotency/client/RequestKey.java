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
package dev.idempotency.client;

import java.io.IOException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

import dev.idempotency.engine.identity.OutgoingKey;

/**
 * The key of a request, and the responses after which the request is sent again with it.
 * They state that nothing has been decided yet. A 422 is not among them: it states that
 * the key was used for something else.
 *
 * @param header the name of the key's header
 * @param value the value of that header
 * @param operation the operation that has the key
 * @param system the system that the request goes to
 */
record RequestKey(String header, String value, OutgoingKey operation, String system) {

	private static final String IN_PROGRESS = "in-progress";

	private static final String NOT_REPLAYABLE = "not-replayable";

	private static final String REPLAYED = "Idempotent-Replayed";

	void addTo(HttpHeaders headers) {
		headers.set(this.header, this.value);
	}

	/**
	 * Records an attempt that the system has not answered, here or in an earlier request
	 * of the operation.
	 */
	void unanswered() {
		this.operation.unanswered(this.system);
	}

	/**
	 * Returns whether a response leaves the outcome open. A 409 does so if it says that
	 * it will not stay, or is a problem (RFC 9457) of an earlier delivery that is still
	 * running. After an attempt without a response any 409 may refer to that attempt,
	 * unless it says that the request has ended. A gateway that has sent a response in
	 * place of the system may have passed the request to it.
	 * @param problem the problem in the body, empty if the body was not read
	 */
	boolean isRetryable(int status, HttpHeaders headers, String problem) {
		return switch (status) {
			case 425, 429 -> true;
			case 502, 503, 504 -> {
				unanswered();
				yield true;
			}
			case 409 -> {
				String type = typeOf(problem);
				boolean ended = type.endsWith(NOT_REPLAYABLE) || Boolean.parseBoolean(headers.getFirst(REPLAYED));
				yield headers.containsHeader(HttpHeaders.RETRY_AFTER) || type.endsWith(IN_PROGRESS)
						|| (isConflict(status) && !ended);
			}
			default -> false;
		};
	}

	/**
	 * Returns whether a retryable response may be about an earlier attempt with the key,
	 * which the system has not answered.
	 */
	boolean isConflict(int status) {
		return status == 409 && this.operation.isUnanswered(this.system);
	}

	/**
	 * Returns the failure of a request whose last response is a conflict with an attempt
	 * that had no response: its outcome is not known.
	 */
	IOException stillInProgress() {
		return new IOException(this.system + " answers 409 after an attempt with the same key that it has not "
				+ "answered and may still be processing. Send the request again later, with the same key.");
	}

	/**
	 * Returns whether {@link #isRetryable} needs the body.
	 */
	static boolean isProblem(int status, HttpHeaders headers) {
		if (status != 409) {
			return false;
		}
		try {
			MediaType type = headers.getContentType();
			return type != null && type.isCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON);
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	private static String typeOf(String problem) {
		try {
			return JsonMapper.shared().readTree(problem).path("type").asString("");
		}
		catch (JacksonException ex) {
			return "";
		}
	}

}
