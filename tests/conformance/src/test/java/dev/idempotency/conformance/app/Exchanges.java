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

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Assertions that a response is an original, a replay or a problem.
 */
public final class Exchanges {

	private static final String PROBLEMS = "https://idempotency.dev/problems/";

	private Exchanges() {
	}

	public static String text(HttpResponse<byte[]> response) {
		return new String(response.body(), StandardCharsets.UTF_8);
	}

	public static boolean isReplay(HttpResponse<?> response) {
		return response.headers().firstValue("Idempotent-Replayed").isPresent();
	}

	/**
	 * Asserts that a response was made by the handler in this exchange.
	 */
	public static void assertOriginal(HttpResponse<byte[]> response, int status) {
		assertThat(response.statusCode()).as(text(response)).isEqualTo(status);
		assertThat(isReplay(response)).as("is a replay").isFalse();
	}

	/**
	 * Asserts that a response is the stored one.
	 */
	public static void assertReplay(HttpResponse<byte[]> response, HttpResponse<byte[]> original) {
		assertThat(response.statusCode()).as(text(response)).isEqualTo(original.statusCode());
		assertThat(isReplay(response)).as("is a replay").isTrue();
		assertThat(response.body()).isEqualTo(original.body());
	}

	/**
	 * Asserts that a response is a problem of the library.
	 */
	public static void assertProblem(HttpResponse<byte[]> response, int status, String type) {
		assertThat(response.statusCode()).as(text(response)).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(text(response)).contains("\"type\":\"" + PROBLEMS + type + "\"");
	}

	/**
	 * Asserts that a response tells when to come back, in whole seconds.
	 */
	public static void assertRetryAfter(HttpResponse<byte[]> response) {
		assertThat(response.headers().firstValue("Retry-After"))
			.hasValueSatisfying((value) -> assertThat(Integer.parseInt(value)).isPositive());
	}

}
