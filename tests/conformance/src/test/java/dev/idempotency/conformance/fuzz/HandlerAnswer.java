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

package dev.idempotency.conformance.fuzz;

import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * The answer of an attempt, which handlers give in the way of their declared type.
 *
 * @param ending the end of the attempt
 * @param row the id of the row, or a text that says there is none
 * @param received what was received
 * @param isUnrenderable whether it cannot be written
 */
record HandlerAnswer(Ending ending, String row, String received, boolean isUnrenderable) {

	private static final String LINK = "</a,b>; rel=\"next, prev\"";

	Map<String, Object> value() {
		Map<String, Object> value = new LinkedHashMap<>();
		value.put("text", text());
		if (this.isUnrenderable) {
			value.put("broken", new Unrenderable());
		}
		return value;
	}

	String text() {
		return "row=" + this.row + " received=" + this.received + " Gr\u00FC\u00DFe";
	}

	/**
	 * As an entity.
	 * @param response the response, which gets what no entity can say
	 * @return the entity, or {@code null} when the response is complete
	 */
	@Nullable ResponseEntity<Object> entity(@Nullable HttpServletResponse response) throws IOException {
		if (response != null && isEndedBySendError(response)) {
			return null;
		}
		ResponseEntity.BodyBuilder entity = ResponseEntity.status(this.ending.status())
			.header("X-Kind", "fuzz")
			.header(HttpHeaders.LINK, LINK, "</c>; rel=\"last\"");
		if (isLocated()) {
			entity.location(URI.create("/things/7"));
		}
		return (this.ending.status() != HttpServletResponse.SC_NO_CONTENT) ? entity.body(value())
				: entity.<Object>build();
	}

	/**
	 * As status and headers of the response; the handler gives the rest.
	 * @return whether there is a rest
	 */
	boolean begin(HttpServletResponse response) throws IOException {
		if (isEndedBySendError(response)) {
			return false;
		}
		response.setStatus(this.ending.status());
		response.setHeader("X-Kind", "fuzz");
		response.addHeader(HttpHeaders.LINK, LINK);
		response.addHeader(HttpHeaders.LINK, "</c>; rel=\"last\"");
		if (isLocated()) {
			response.setHeader(HttpHeaders.LOCATION, "/things/7");
		}
		return true;
	}

	/**
	 * As all of the response.
	 */
	void write(HttpServletResponse response) throws IOException {
		if (begin(response)) {
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().print(text());
		}
	}

	private boolean isEndedBySendError(HttpServletResponse response) throws IOException {
		if (this.ending.kind() != Ending.Kind.SEND_ERROR) {
			return false;
		}
		response.sendError(this.ending.status(), "because");
		return true;
	}

	private boolean isLocated() {
		return this.ending.status() == HttpServletResponse.SC_CREATED
				|| this.ending.status() == HttpServletResponse.SC_SEE_OTHER;
	}

	/**
	 * A value that Jackson cannot write.
	 */
	static final class Unrenderable {

		public String getText() {
			throw new IllegalStateException("unrenderable");
		}

	}

}
