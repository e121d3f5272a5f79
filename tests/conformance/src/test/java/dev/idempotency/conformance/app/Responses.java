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
 * Assertions on responses.
 */
public final class Responses {

	public static final String MARKER = "Idempotent-Replayed";

	private Responses() {
	}

	public static String text(HttpResponse<byte[]> response) {
		return new String(response.body(), StandardCharsets.UTF_8);
	}

	/**
	 * The handler has answered, with this status.
	 */
	public static void assertOriginal(HttpResponse<byte[]> response, int status) {
		assertThat(response.statusCode()).as(text(response)).isEqualTo(status);
		assertThat(response.headers().allValues(MARKER)).isEmpty();
	}

	/**
	 * The retry got the first answer: status, content type and every byte.
	 */
	public static void assertReplay(HttpResponse<byte[]> retry, HttpResponse<byte[]> first) {
		assertThat(retry.statusCode()).as(text(retry)).isEqualTo(first.statusCode());
		assertThat(retry.body()).isEqualTo(first.body());
		assertThat(retry.headers().allValues("Content-Type")).isEqualTo(first.headers().allValues("Content-Type"));
		assertThat(retry.headers().allValues(MARKER)).containsExactly("true");
		assertThat(first.headers().allValues(MARKER)).isEmpty();
	}

	/**
	 * A problem of the library, as RFC 9457 wants it.
	 */
	public static void assertProblem(HttpResponse<byte[]> response, int status, String type) {
		assertThat(response.statusCode()).as(text(response)).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(response.headers().allValues("Cache-Control")).containsExactly("no-store");
		assertThat(response.headers().allValues(MARKER)).isEmpty();
		assertThat(text(response)).contains("\"type\":\"https://idempotency.dev/problems/" + type + "\"",
				"\"status\":" + status, "\"title\":", "\"detail\":", "\"instance\":");
	}

	/**
	 * As above, over {@link RawHttp}.
	 */
	public static void assertProblem(RawHttp.Response response, int status, String type) {
		assertThat(response.status()).as(response.text()).isEqualTo(status);
		assertThat(response.values("Content-Type")).containsExactly("application/problem+json");
		assertThat(response.text()).contains("\"type\":\"https://idempotency.dev/problems/" + type + "\"");
	}

}
