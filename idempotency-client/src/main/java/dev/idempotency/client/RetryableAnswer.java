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
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The answers after which a request with a key is sent again. They state that nothing has
 * been decided yet. A 422 is not among them: it states that the key was used for
 * something else.
 */
final class RetryableAnswer {

	private static final String IN_PROGRESS = "in-progress";

	private static final JsonFactory JSON = new JsonFactory();

	private RetryableAnswer() {
	}

	/**
	 * Returns whether the status and the headers allow a retry.
	 */
	static boolean isRetryable(int status, HttpHeaders headers) {
		return switch (status) {
			case 425, 429, 502, 503, 504 -> true;
			case 409 -> headers.containsHeader(HttpHeaders.RETRY_AFTER);
			default -> false;
		};
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

	/**
	 * Returns whether a problem (RFC 9457) is a first delivery that is still running.
	 */
	static boolean isInProgress(String problem) {
		try (JsonParser members = JSON.createParser(ObjectReadContext.empty(), problem)) {
			if (members.nextToken() != JsonToken.START_OBJECT) {
				return false;
			}
			while (members.nextToken() == JsonToken.PROPERTY_NAME) {
				String name = members.currentName();
				JsonToken value = members.nextToken();
				if ("type".equals(name)) {
					return value == JsonToken.VALUE_STRING && members.getString().endsWith(IN_PROGRESS);
				}
				members.skipChildren();
			}
			return false;
		}
		catch (JacksonException ex) {
			return false;
		}
	}

}
