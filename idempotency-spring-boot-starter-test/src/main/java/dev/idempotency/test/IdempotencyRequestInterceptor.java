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

import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

/**
 * Applies {@link WithIdempotencyKey} and {@link DeliverTwice} to the requests of a
 * client. Spring Boot's {@code RestTestClient} has it; add the bean of this type to any
 * other {@code RestTestClient}, {@link RestClient} or {@code RestTemplate} of a test.
 */
public final class IdempotencyRequestInterceptor implements ClientHttpRequestInterceptor {

	private final TestRequests requests;

	IdempotencyRequestInterceptor(TestRequests requests) {
		this.requests = requests;
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		String header = this.requests.field().header();
		if (!request.getHeaders().containsHeader(header)) {
			this.requests.headerFor(request.getMethod().name())
				.ifPresent((value) -> request.getHeaders().set(header, value));
		}
		if (!this.requests.isTwice() || !request.getHeaders().containsHeader(header)) {
			return execution.execute(request, body);
		}
		DeliveredResponse first = this.requests.once(() -> read(execution.execute(request, body)));
		this.requests.repeat(request.getMethod() + " " + request.getURI().getPath(), first,
				() -> read(execution.execute(request, body)));
		MockClientHttpResponse response = new MockClientHttpResponse(first.body(), first.status()) {

			/**
			 * A client may read it more than once.
			 */
			@Override
			public InputStream getBody() {
				return new ByteArrayInputStream(first.body());
			}

		};
		response.getHeaders().putAll(first.headers());
		return response;
	}

	private static DeliveredResponse read(ClientHttpResponse response) throws IOException {
		try (response) {
			return new DeliveredResponse(response.getStatusCode().value(), response.getHeaders(),
					response.getBody().readAllBytes());
		}
	}

}
