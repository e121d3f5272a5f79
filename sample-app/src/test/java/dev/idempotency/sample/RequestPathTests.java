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
package dev.idempotency.sample;

import dev.idempotency.sample.RequestTrace.Path;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files and calls of the library that one request runs through, once everything is
 * warm. The figures may only fall: lower them here and in CONTRIBUTING when they do.
 */
@SampleTest
class RequestPathTests {

	private static final String PAYMENT = """
			{"amountCents":5000,"currency":"usd","cardToken":"tok_visa"}""";

	private static final String RIDE = """
			{"originLat":52.5,"originLon":13.4,"targetLat":52.6,"targetLon":13.5}""";

	@Autowired
	private SampleClient client;

	@Test
	void aRequestRunsThroughNoMoreThanBefore() {
		try (RequestTrace trace = new RequestTrace()) {
			for (int i = 0; i < 5; i++) {
				post("/payments", newKey(), PAYMENT);
				post("/rides", newKey(), RIDE);
			}
			String key = newKey();
			assertAtMost(trace.of(() -> post("/payments", key, PAYMENT)), 85, 580);
			assertAtMost(trace.of(() -> post("/payments", key, PAYMENT)), 78, 375);
			assertAtMost(trace.of(() -> post("/rides", newKey(), RIDE)), 121, 1180);
		}
	}

	private void post(String path, String key, String json) {
		assertThat(answer(this.client.post("alice", path, key, json)).status()).isEqualTo(201);
	}

	private static void assertAtMost(Path path, int files, int calls) {
		assertThat(path.files()).as(path::toString).hasSizeLessThanOrEqualTo(files);
		assertThat(path.calls()).as(path::toString).isLessThanOrEqualTo(calls);
	}

}
