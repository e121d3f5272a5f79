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
package dev.idempotency.operator;

import java.nio.charset.StandardCharsets;

/**
 * The answer of a request that an operator abandons.
 *
 * @param status its HTTP status, from 400 to 599
 * @param contentType its media type, such as {@code application/problem+json}
 * @param body its body
 */
public record AbandonedAnswer(int status, String contentType, byte[] body) {

	public AbandonedAnswer {
		if (status < 400 || status > 599) {
			throw new IllegalArgumentException(
					"An abandoned request has not succeeded: its status is from 400 to 599, not " + status);
		}
		if (contentType.isBlank() || !contentType.chars().allMatch((c) -> c >= ' ' && c < 127)) {
			throw new IllegalArgumentException(
					"A media type consists of visible ASCII characters, such as application/problem+json");
		}
		body = body.clone();
	}

	/**
	 * An answer in RFC 9457 problem details.
	 * @param status its HTTP status, from 400 to 599
	 * @param json the problem as JSON
	 * @return the answer
	 */
	public static AbandonedAnswer problem(int status, String json) {
		return new AbandonedAnswer(status, "application/problem+json", json.getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public byte[] body() {
		return this.body.clone();
	}

}
