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

import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.sample.SampleClient.StoredResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.client.RestTestClient;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code /payments/{id}/refunds}.
 */
@SampleTest
class RefundTests {

	@Autowired
	private SampleClient client;

	@Autowired
	private JdbcTemplate jdbc;

	@Test
	@Tag("R1")
	void aRefundThatIsSentTwiceIsMadeOnce() {
		String payment = pay("alice", 5000);
		String key = newKey();
		StoredResponse first = answer(refund("alice", payment, key, 100));
		assertThat(first.status()).isEqualTo(201);
		assertThat(JsonPath.<String>read(first.body(), "$.paymentId")).isEqualTo(payment);
		assertThat(answer(refund("alice", payment, key, 100))).isEqualTo(first.asReplay());
		assertThat(refunded(payment)).isEqualTo(100);
		assertThat(JsonPath.<String>read(answer(this.client.get("alice", "/payments/" + payment)).body(), "$.status"))
			.isEqualTo("partially_refunded");
	}

	@Test
	@Tag("F1")
	void aChangedAmountIsRefused() {
		String payment = pay("alice", 5000);
		String key = newKey();
		refund("alice", payment, key, 100).expectStatus().isCreated();
		StoredResponse changed = answer(refund("alice", payment, key, 200));
		assertThat(changed.status()).isEqualTo(422);
		assertThat(JsonPath.<String>read(changed.body(), "$.type")).endsWith("/key-reused");
		assertThat(refunded(payment)).isEqualTo(100);
	}

	@Test
	@Tag("S4")
	void theSameKeyForAnotherPaymentIsRefusedAndNeverItsAnswer() {
		String first = pay("alice", 5000);
		String second = pay("alice", 5000);
		String key = newKey();
		refund("alice", first, key, 100).expectStatus().isCreated();
		StoredResponse other = answer(refund("alice", second, key, 100));
		assertThat(other.status()).isEqualTo(422);
		assertThat(other.body()).doesNotContain(first);
		assertThat(refunded(second)).isZero();
	}

	@Test
	@Tag("S3")
	void theKeysOfTheResourceAreNotThoseOfTheAccount() {
		String key = newKey();
		String payment = pay("alice", 5000, key);
		refund("alice", payment, key, 100).expectStatus().isCreated();
	}

	@Test
	void anotherUsersPaymentCannotBeRefunded() {
		String payment = pay("alice", 5000);
		String key = newKey();
		StoredResponse first = answer(refund("bob", payment, key, 100));
		assertThat(first.status()).isEqualTo(404);
		assertThat(answer(refund("bob", payment, key, 100))).isEqualTo(first.asReplay());
		assertThat(refunded(payment)).isZero();
	}

	@Test
	@Tag("X3")
	void aRefundThatIsTooLargeIsStoredAndReplayed() {
		String payment = pay("alice", 5000);
		String key = newKey();
		StoredResponse first = answer(refund("alice", payment, key, 5001));
		assertThat(first.status()).isEqualTo(422);
		assertThat(JsonPath.<String>read(first.body(), "$.type")).isEqualTo("/problems/refund-too-large");
		assertThat(answer(refund("alice", payment, key, 5001))).isEqualTo(first.asReplay());
		assertThat(refunded(payment)).isZero();
	}

	@Test
	@Tag("C6")
	void refundsAtTheSameTimeNeverGiveBackMoreThanWasPaid() throws Exception {
		String payment = pay("alice", 500);
		List<StoredResponse> answers = SampleClient.race(
				IntStream
					.range(0, 8).<Supplier<RestTestClient
							.ResponseSpec>>mapToObj((i) -> () -> refund("alice", payment, newKey(), 100))
					.toList());
		assertThat(answers).filteredOn((answer) -> answer.status() == 201).hasSize(5);
		assertThat(answers).filteredOn((answer) -> answer.status() == 422).hasSize(3);
		assertThat(refunded(payment)).isEqualTo(500);
		assertThat(JsonPath.<String>read(answer(this.client.get("alice", "/payments/" + payment)).body(), "$.status"))
			.isEqualTo("refunded");
	}

	@Test
	@Tag("C1")
	void oneRefundThatIsSentManyTimesAtOnceIsMadeOnce() throws Exception {
		String payment = pay("alice", 500);
		String key = newKey();
		List<StoredResponse> answers = SampleClient.race(
				IntStream
					.range(0, 8).<Supplier<RestTestClient
							.ResponseSpec>>mapToObj((i) -> () -> refund("alice", payment, key, 100))
					.toList());
		assertThat(answers).filteredOn((answer) -> answer.status() == 201 && !answer.replayed()).hasSize(1);
		assertThat(answers).allMatch((answer) -> answer.status() == 201 || answer.status() == 409);
		assertThat(refunded(payment)).isEqualTo(100);
	}

	private String pay(String user, int amountCents) {
		return pay(user, amountCents, newKey());
	}

	private String pay(String user, int amountCents, String key) {
		StoredResponse answer = answer(this.client.post(user, "/payments", key,
				"{\"amountCents\":%d,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}".formatted(amountCents)));
		assertThat(answer.status()).isEqualTo(201);
		return JsonPath.read(answer.body(), "$.id");
	}

	private RestTestClient.ResponseSpec refund(String user, String payment, String key, int amountCents) {
		return this.client.post(user, "/payments/" + payment + "/refunds", key,
				"{\"amountCents\":" + amountCents + "}");
	}

	/**
	 * The sum of the refunds, which the payment's own count has to agree with.
	 */
	private long refunded(String payment) {
		UUID id = UUID.fromString(payment);
		Long sum = this.jdbc.queryForObject("select coalesce(sum(amount_cents), 0) from refund where payment_id = ?",
				Long.class, id);
		Long counted = this.jdbc.queryForObject("select refunded_cents from payment where id = ?", Long.class, id);
		assertThat(sum).isEqualTo(counted);
		return (sum != null) ? sum : -1;
	}

}
