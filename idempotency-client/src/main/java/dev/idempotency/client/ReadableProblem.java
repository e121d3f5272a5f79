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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response with a problem in its body, which both the client and the caller read.
 */
final class ReadableProblem implements ClientHttpResponse {

	/**
	 * No problem of this kind is larger. Larger bodies are not examined.
	 */
	private static final int LIMIT = 64 * 1024;

	private final ClientHttpResponse response;

	private final byte[] head;

	private final InputStream body;

	private ReadableProblem(ClientHttpResponse response) throws IOException {
		this.response = response;
		InputStream rest = response.getBody();
		this.head = rest.readNBytes(LIMIT);
		this.body = new SequenceInputStream(new ByteArrayInputStream(this.head), rest);
	}

	/**
	 * A response whose problem, if its body has to be examined, can be read.
	 */
	static ClientHttpResponse of(ClientHttpResponse response) throws IOException {
		try {
			boolean problem = RetryableAnswer.isProblem(response.getStatusCode().value(), response.getHeaders());
			return problem ? new ReadableProblem(response) : response;
		}
		catch (IOException | RuntimeException ex) {
			response.close();
			throw ex;
		}
	}

	String text() {
		return new String(this.head, StandardCharsets.UTF_8);
	}

	@Override
	public HttpStatusCode getStatusCode() throws IOException {
		return this.response.getStatusCode();
	}

	@Override
	public String getStatusText() throws IOException {
		return this.response.getStatusText();
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.response.getHeaders();
	}

	@Override
	public InputStream getBody() {
		return this.body;
	}

	@Override
	public void close() {
		this.response.close();
	}

}
