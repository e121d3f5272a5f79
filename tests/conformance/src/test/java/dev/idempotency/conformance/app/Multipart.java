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
package dev.idempotency.conformance.app;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A multipart body with a boundary of the test's choice.
 */
public final class Multipart {

	private final String boundary;

	private final ByteArrayOutputStream content = new ByteArrayOutputStream();

	public Multipart(String boundary) {
		this.boundary = boundary;
	}

	public Multipart field(String name, String value) {
		return part("name=\"" + name + "\"", "", value.getBytes(StandardCharsets.UTF_8));
	}

	public Multipart file(String name, String fileName, String type, byte[] bytes) {
		return part("name=\"" + name + "\"; filename=\"" + fileName + "\"", "Content-Type: " + type + "\r\n", bytes);
	}

	private Multipart part(String disposition, String headers, byte[] bytes) {
		this.content.writeBytes(("--" + this.boundary + "\r\nContent-Disposition: form-data; " + disposition + "\r\n"
				+ headers + "\r\n")
			.getBytes(StandardCharsets.UTF_8));
		this.content.writeBytes(bytes);
		this.content.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
		return this;
	}

	public String contentType() {
		return "multipart/form-data; boundary=" + this.boundary;
	}

	public byte[] body() {
		ByteArrayOutputStream whole = new ByteArrayOutputStream();
		whole.writeBytes(this.content.toByteArray());
		whole.writeBytes(("--" + this.boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
		return whole.toByteArray();
	}

}
