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
package dev.idempotency.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response that was read completely, to be read once more.
 *
 * @param answer the buffered answer
 * @param statusText the reason phrase
 */
record BufferedAnswer(DeliveredAnswer answer, String statusText) implements ClientHttpResponse {

	static BufferedAnswer read(ClientHttpResponse response) throws IOException {
		try (response) {
			byte[] body = response.getBody().readAllBytes();
			return new BufferedAnswer(
					new DeliveredAnswer(response.getStatusCode().value(), response.getHeaders(), body),
					response.getStatusText());
		}
	}

	@Override
	public HttpStatusCode getStatusCode() {
		return HttpStatusCode.valueOf(this.answer.status());
	}

	@Override
	public String getStatusText() {
		return this.statusText;
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.answer.headers();
	}

	@Override
	public InputStream getBody() {
		return new ByteArrayInputStream(this.answer.body());
	}

	@Override
	public void close() {
		// Closed when it was read
	}

}
