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

import java.time.Duration;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.client.ResourceAccessException;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The effect of the page's faults on a request. Leases are short and nobody completes
 * anything, so that the sender is alone.
 */
@SampleTest
@TestPropertySource(properties = { "idempotency.lease.duration=1s", "idempotency.completer.enabled=false" })
class DemoFaultTests {

	private static final String RIDE = "{\"originLat\":0,\"originLon\":0,\"targetLat\":4,\"targetLon\":3}";

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	private StoredResponse sendWithFault(String fault, String path, String key, String body) {
		return sendWithFault("ops", fault, path, key, body);
	}

	private StoredResponse sendWithFault(String user, String fault, String path, String key, String body) {
		return answer(this.client.request(user, HttpMethod.POST, path)
			.header("Demo-Fault", fault)
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.exchange());
	}

	private void assertLost(String fault, String path, String key, String body) {
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> sendWithFault(fault, path, key, body));
	}

	private int charges() {
		return JsonPath.read(answer(this.client.get("alice", "/provider/charges")).body(), "$.count");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/payments | {"amountCents":5000,"currency":"usd","cardToken":"tok_visa"}
			/orders   | {"item":"Helmet","quantity":1}
			/rides    | {"originLat":0,"originLon":0,"targetLat":4,"targetLon":3}
			""")
	@Tag("X9")
	void theAnswerIsLostAndStored(String path, String body) {
		String key = newKey();
		assertLost("cut-after-commit", path, key, body);
		StoredResponse retry = await().until(() -> answer(this.client.post("ops", path, key, body)),
				(answer) -> answer.status() == 201);
		assertThat(retry.replayed()).isTrue();
	}

	@Test
	@Tag("X8")
	@Tag("P1")
	void aKilledHandlerLeavesWhatAKilledProcessLeaves() {
		String key = newKey();
		int before = charges();
		assertLost("kill-after-charge", "/rides", key, RIDE);
		assertThat(charges() - before).as("the provider has made the charge").isEqualTo(1);
		List<String> left = this.jdbc.queryForList(
				"select recovery_point from idempotency_lease where namespace <> '' and last_error is null and retry_at is null",
				String.class);
		assertThat(left).as("a claim that was not given back, from before the charge").containsExactly("ride_created");
		StoredResponse booked = await().atMost(Duration.ofSeconds(60))
			.until(() -> answer(this.client.post("ops", "/rides", key, RIDE)), (answer) -> answer.status() != 409);
		assertThat(booked.status()).isEqualTo(201);
		assertThat(booked.replayed()).isFalse();
		assertThat(charges() - before).isEqualTo(1);
	}

	@Test
	void whatIsAnsweredAsynchronouslyIsAnswered() {
		StoredResponse quoted = sendWithFault("cut-after-commit", "/quotes", newKey(), RIDE);
		assertThat(quoted.status()).isEqualTo(201);
		assertThat(quoted.body()).contains("\"fareCents\":6000");
	}

	@Test
	void aFaultThatThereIsNotIsRefused() {
		assertThat(sendWithFault("explode", "/payments", newKey(), "{}").status()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "cut-after-commit", "kill-after-charge" })
	void aRiderGetsNoFault(String fault) {
		String key = newKey();
		int before = charges();
		assertThat(sendWithFault("alice", fault, "/rides", key, RIDE).status()).isEqualTo(403);
		assertThat(charges()).isEqualTo(before);
		StoredResponse sentWithoutIt = answer(this.client.post("alice", "/rides", key, RIDE));
		assertThat(sentWithoutIt.status()).isEqualTo(201);
		assertThat(sentWithoutIt.replayed()).isFalse();
	}

	@Test
	void whoIsNotKnownGetsNoFault() {
		this.client.anonymous(HttpMethod.POST, "/payments")
			.header("Demo-Fault", "cut-after-commit")
			.exchange()
			.expectStatus()
			.isUnauthorized();
	}

}
