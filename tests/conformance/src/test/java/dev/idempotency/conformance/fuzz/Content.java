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

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;

/**
 * The kinds of request bodies.
 */
enum Content {

	JSON("application/json"), FORM("application/x-www-form-urlencoded"),
	MULTIPART("multipart/form-data; boundary=fuzz"), EMPTY("application/json"), BYTES("application/octet-stream");

	private final String mediaType;

	Content(String mediaType) {
		this.mediaType = mediaType;
	}

	String mediaType() {
		return this.mediaType;
	}

	/**
	 * A body of this kind.
	 * @param amount what differs between two requests; {@code 0} is empty where that is
	 * the kind
	 */
	BodyPublisher body(int amount) {
		byte[] body = switch (this) {
			case JSON -> text("{\"amount\":" + amount + ",\"currency\":\"usd\"}");
			case FORM -> text("amount=" + amount + "&currency=usd");
			case MULTIPART -> text("--fuzz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n"
					+ "Content-Type: application/octet-stream\r\n\r\nbytes " + amount + "\r\n--fuzz--\r\n");
			case EMPTY -> text((amount == 0) ? "" : "{}");
			case BYTES -> new byte[] { 0, 1, (byte) 0xFF, (byte) amount };
		};
		return BodyPublishers.ofByteArray(body);
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
