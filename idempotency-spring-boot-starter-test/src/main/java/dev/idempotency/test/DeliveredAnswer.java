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

import java.nio.charset.StandardCharsets;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.ExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * The response to a delivery of a request.
 *
 * @param status the status
 * @param headers the headers
 * @param body the bytes of the body
 */
public record DeliveredAnswer(int status, HttpHeaders headers, byte[] body) {

	/**
	 * Returns the response to a request of a {@code RestTestClient}.
	 * @param response the response, whose body has not been read
	 * @return the response
	 */
	public static DeliveredAnswer of(RestTestClient.ResponseSpec response) {
		ExchangeResult result = response.returnResult(byte[].class);
		return new DeliveredAnswer(result.getStatus().value(), result.getResponseHeaders(),
				result.getResponseBodyContent());
	}

	/**
	 * Returns the response to a request of a {@code MockMvcTester}.
	 * @param result the result
	 * @return the response
	 * @throws IllegalStateException if the request failed with an unresolved exception
	 */
	public static DeliveredAnswer of(MvcTestResult result) {
		if (result.getUnresolvedException() != null) {
			throw new IllegalStateException("The request failed without a response", result.getUnresolvedException());
		}
		return of(result.getResponse());
	}

	static DeliveredAnswer of(MockHttpServletResponse response) {
		HttpHeaders headers = new HttpHeaders();
		for (String name : response.getHeaderNames()) {
			response.getHeaders(name).forEach((value) -> headers.add(name, value));
		}
		return new DeliveredAnswer(response.getStatus(), headers, response.getContentAsByteArray());
	}

	/**
	 * Returns the body as text, for messages.
	 * @return the text, decoded as UTF-8
	 */
	String text() {
		return new String(this.body, StandardCharsets.UTF_8);
	}

	/**
	 * Returns whether the request was refused because another delivery was running.
	 */
	boolean isInProgress() {
		return this.status == HttpStatus.CONFLICT.value() && text().contains("/in-progress");
	}

	boolean isMarked(String marker) {
		return this.headers.containsHeader(marker);
	}

}
