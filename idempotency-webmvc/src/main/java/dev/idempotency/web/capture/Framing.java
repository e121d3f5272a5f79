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

import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;

/**
 * The framing of responses that are flushed before the container ends them.
 */
final class Framing {

	private Framing() {
	}

	/**
	 * Announces the length of a body, which saves the chunks. A wrapper may still change
	 * the body, and gets it as from a handler that does not know the length.
	 */
	static void announce(long length, HttpServletResponse response) {
		if (!(response instanceof ServletResponseWrapper)) {
			response.setContentLengthLong(length);
		}
	}

}
