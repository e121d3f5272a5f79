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

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.sample.SampleClient.StoredResponse;
import dev.idempotency.test.ConcurrentDelivery;
import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.DeliveredResponse;
import dev.idempotency.test.IdempotencyClock;
import dev.idempotency.test.assertj.IdempotencyRecords;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code /payments}. Whatever these tests send, they send twice.
 */
@SampleTest
@DeliverTwice
class PaymentTests {

	private static final String PAYMENT = payment("5000", "usd", "tok_visa");

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@Autowired
	private IdempotencyRecords records;

	@Autowired
	private IdempotencyClock clock;

	@Test
	@Tag("R1")
	void aPaymentThatIsSentThreeTimesIsMadeOnce() {
		long before = count("payment");
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/payments", key, PAYMENT));
		assertThat(first.status()).isEqualTo(201);
		assertThat(first.replayed()).isFalse();
		String id = JsonPath.read(first.body(), "$.id");
		assertThat(first.location()).isEqualTo("/payments/" + id);
		assertThat(JsonPath.<Integer>read(first.body(), "$.amountCents")).isEqualTo(5000);
		assertThat(JsonPath.<String>read(first.body(), "$.currency")).isEqualTo("usd");
		assertThat(JsonPath.<String>read(first.body(), "$.status")).isEqualTo("succeeded");
		assertThat(answer(this.client.post("alice", "/payments", key, PAYMENT))).isEqualTo(first.asReplay());
		assertThat(answer(this.client.post("alice", "/payments", '"' + key + '"', PAYMENT)))
			.isEqualTo(first.asReplay());
		assertThat(count("payment")).isEqualTo(before + 1);
		assertThat(answer(this.client.get("alice", first.location())).body()).isEqualTo(first.body());
	}

	@Test
	void aPaymentThatIsSentManyTimesAtOnceIsMadeOnce() {
		String key = newKey();
		DeliveredResponse payment = ConcurrentDelivery
			.of(8, () -> DeliveredResponse.of(this.client.post("alice", "/payments", key, PAYMENT)))
			.withEffect(() -> count("payment"))
			.send();
		assertThat(payment.status()).isEqualTo(201);
		assertThat(this.records.of("alice")).hasRecordFor(key).withStatus(201).withOperation("POST /payments");
	}

	@Test
	void aPaymentIsRepeatedAfterTheTimeToLive() {
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/payments", key, PAYMENT));
		this.clock.pass(Duration.ofHours(24));
		StoredResponse second = answer(this.client.post("alice", "/payments", key, PAYMENT));
		assertThat(second.replayed()).isFalse();
		assertThat(second.location()).isNotEqualTo(first.location());
	}

	@Test
	void aBodyThatCurlCallsAFormIsReadAsJson() {
		String key = newKey();
		StoredResponse first = answer(this.client.request("alice", HttpMethod.POST, "/payments")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.body(PAYMENT)
			.exchange());
		assertThat(first.status()).isEqualTo(201);
		assertThat(answer(this.client.post("alice", "/payments", key, PAYMENT))).isEqualTo(first.asReplay());
	}

	@Test
	@Tag("F1")
	void aChangedBodyIsRefusedAndTheOriginalStillReplays() {
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/payments", key, PAYMENT));
		StoredResponse changed = answer(
				this.client.post("alice", "/payments", key, payment("5001", "usd", "tok_visa")));
		assertThat(changed.status()).isEqualTo(422);
		assertThat(JsonPath.<String>read(changed.body(), "$.type")).endsWith("/key-reused");
		assertThat(answer(this.client.post("alice", "/payments", key, PAYMENT))).isEqualTo(first.asReplay());
	}

	@Test
	@Tag("S1")
	void theSameKeyOfAnotherUserIsAnotherPayment() {
		String key = newKey();
		StoredResponse alices = answer(this.client.post("alice", "/payments", key, PAYMENT));
		StoredResponse bobs = answer(this.client.post("bob", "/payments", key, PAYMENT));
		assertThat(bobs.status()).isEqualTo(201);
		assertThat(bobs.replayed()).isFalse();
		assertThat(bobs.location()).isNotEqualTo(alices.location());
		this.client.get("bob", alices.location()).expectStatus().isNotFound();
		assertThat(answer(this.client.get("bob", "/payments")).body())
			.contains(JsonPath.<String>read(bobs.body(), "$.id"))
			.doesNotContain(JsonPath.<String>read(alices.body(), "$.id"));
	}

	@Test
	@Tag("X3")
	void aDeclineIsStoredAndReplayed() {
		long before = count("payment");
		String key = newKey();
		String declined = payment("5000", "usd", "tok_declined");
		StoredResponse first = answer(this.client.post("alice", "/payments", key, declined));
		assertThat(first.status()).isEqualTo(402);
		assertThat(JsonPath.<String>read(first.body(), "$.type")).isEqualTo("/problems/card-declined");
		assertThat(answer(this.client.post("alice", "/payments", key, declined))).isEqualTo(first.asReplay());
		assertThat(count("payment")).isEqualTo(before);
	}

	@Test
	@Tag("X2")
	void anUnavailableCardIsNotStoredAndTheRetryRunsAgain() {
		long before = count("idempotency_record");
		String key = newKey();
		String unavailable = payment("5000", "usd", "tok_unavailable");
		for (int delivery = 0; delivery < 2; delivery++) {
			this.client.post("alice", "/payments", key, unavailable)
				.expectStatus()
				.isEqualTo(503)
				.expectHeader()
				.valueEquals("Retry-After", "1")
				.expectHeader()
				.doesNotExist("Idempotent-Replayed");
		}
		assertThat(count("idempotency_record")).isEqualTo(before);
		// Nothing is tied to the key yet, not even the request.
		this.client.post("alice", "/payments", key, PAYMENT).expectStatus().isCreated();
	}

	@Test
	@Tag("K1")
	void aPaymentWithoutAKeyIsRefused() {
		StoredResponse answer = answer(this.client.request("alice", HttpMethod.POST, "/payments")
			.contentType(MediaType.APPLICATION_JSON)
			.body(PAYMENT)
			.exchange());
		assertThat(answer.status()).isEqualTo(400);
		assertThat(JsonPath.<String>read(answer.body(), "$.type")).endsWith("/missing-key");
	}

	@ParameterizedTest
	@Tag("X4")
	@ValueSource(strings = { "{}", "{\"amountCents\":0,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}",
			"{\"amountCents\":50.5,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}",
			"{\"amountCents\":1e30,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}",
			"{\"amountCents\":50,\"currency\":\"us\",\"cardToken\":\"tok_visa\"}",
			"{\"amountCents\":50,\"currency\":\"usd\",\"cardToken\":\" \"}", "{" })
	void anInvalidPaymentIsNotStoredAndTheCorrectedOneRunsWithTheSameKey(String body) {
		String key = newKey();
		StoredResponse invalid = answer(this.client.post("alice", "/payments", key, body));
		assertThat(invalid.status()).isEqualTo(400);
		assertThat(JsonPath.<Integer>read(invalid.body(), "$.status")).isEqualTo(400);
		this.client.post("alice", "/payments", key, PAYMENT).expectStatus().isCreated();
	}

	@Test
	@Tag("F5")
	void theSameAmountMayBeWrittenInAnyWay() {
		String key = newKey();
		StoredResponse first = answer(this.client.post("alice", "/payments", key, PAYMENT));
		StoredResponse second = answer(
				this.client.post("alice", "/payments", key, payment("5.0e3", "usd", "tok_visa")));
		assertThat(second).isEqualTo(first.asReplay());
	}

	private long count(String table) {
		Long count = this.jdbc.queryForObject("select count(*) from " + table, Long.class);
		return (count != null) ? count : -1;
	}

	private static String payment(String amountCents, String currency, String cardToken) {
		return "{\"amountCents\":%s,\"currency\":\"%s\",\"cardToken\":\"%s\"}".formatted(amountCents, currency,
				cardToken);
	}

}
