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

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The responses after which a request with a key is sent again. They state that nothing
 * has been decided yet. A 422 is not among them: it states that the key was used for
 * something else.
 */
final class RetryableResponse {

	private static final String IN_PROGRESS = "in-progress";

	private static final String NOT_REPLAYABLE = "not-replayable";

	private static final String REPLAYED = "Idempotent-Replayed";

	private RetryableResponse() {
	}

	/**
	 * Returns whether a response leaves the outcome open. A 409 does so if it says that
	 * it will not stay, or is a problem (RFC 9457) of an earlier delivery that is still
	 * running. After an attempt without a response any 409 may refer to that attempt,
	 * unless it says that the request has ended.
	 * @param problem the problem in the body, empty if the body was not read
	 * @param unanswered whether an earlier attempt with the key had no response
	 */
	static boolean isRetryable(int status, HttpHeaders headers, String problem, boolean unanswered) {
		return switch (status) {
			case 425, 429, 502, 503, 504 -> true;
			case 409 -> {
				String type = typeOf(problem);
				boolean ended = type.endsWith(NOT_REPLAYABLE) || Boolean.parseBoolean(headers.getFirst(REPLAYED));
				yield headers.containsHeader(HttpHeaders.RETRY_AFTER) || type.endsWith(IN_PROGRESS)
						|| (unanswered && !ended);
			}
			default -> false;
		};
	}

	/**
	 * Returns whether a gateway has sent a response in place of the system, which may
	 * have got the request and not have answered.
	 */
	static boolean isOfGateway(int status) {
		return status >= 502 && status <= 504;
	}

	/**
	 * Returns whether the decision needs the body.
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
