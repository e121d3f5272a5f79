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
package dev.idempotency.conformance.request;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.RawConnection;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Request bodies over the limit. The raw clients never send the rest of their bodies, so
 * an answer shows that no request waited for it.
 */
class RequestLimitTests {

	private static final int LIMIT = 10_000;

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Uploads.class, "idempotency.limits.max-request-body=" + LIMIT + "B");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	@Tag("Y3")
	void aBodyAtTheLimitIsTakenAndOneByteMoreIsNot() {
		assertOriginal(application.post(ALICE, "/uploads", "at-limit", "x".repeat(LIMIT)), 201);
		long records = application.records();
		HttpResponse<byte[]> refused = application.post(ALICE, "/uploads", "over-limit", "x".repeat(LIMIT + 1));
		assertProblem(refused, 413, "request-too-large");
		assertThat(application.records()).isEqualTo(records);
		assertOriginal(application.post(ALICE, "/uploads", "over-limit", "x"), 201);
	}

	@Test
	@Tag("Y3")
	void aFormOverTheLimitIsRefused() {
		assertOriginal(form("f=" + "x".repeat(LIMIT - 2)), 201);
		assertProblem(form("f=" + "x".repeat(LIMIT - 1)), 413, "request-too-large");
	}

	private static HttpResponse<byte[]> form(String fields) {
		return application.send(application.request(ALICE, "/forms")
			.header("Idempotency-Key", "form-" + fields.length())
			.header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString(fields)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/uploads", "/forms" })
	@Tag("Y3")
	void anAnnouncedLengthOverTheLimitIsRefusedBeforeTheBodyIsThere(String path) throws IOException {
		String type = path.equals("/forms") ? "application/x-www-form-urlencoded" : "text/plain";
		try (RawConnection client = RawConnection.open(application)) {
			client.post(ALICE, path,
					"Idempotency-Key: announced\r\nContent-Type: " + type + "\r\nContent-Length: 1000000000\r\n");
			assertThat(client.readHead()).startsWith("HTTP/1.1 413").contains("application/problem+json");
		}
	}

	@Test
	@Tag("Y3")
	void chunksAreReadUpToTheLimitAndNotToTheirEnd() throws IOException {
		try (RawConnection client = RawConnection.open(application)) {
			client.post(ALICE, "/uploads",
					"Idempotency-Key: chunked\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n");
			for (int i = 0; i <= LIMIT / 1000; i++) {
				client.send("3e8\r\n" + "x".repeat(1000) + "\r\n");
			}
			assertThat(client.readHead()).startsWith("HTTP/1.1 413").contains("application/problem+json");
		}
	}

	@RestController
	static class Uploads {

		@Idempotent
		@PostMapping("/uploads")
		@ResponseStatus(HttpStatus.CREATED)
		int upload(@RequestBody String body) {
			return body.length();
		}

		@Idempotent
		@PostMapping("/forms")
		@ResponseStatus(HttpStatus.CREATED)
		int form(@RequestParam MultiValueMap<String, String> fields) {
			return fields.size();
		}

	}

}
