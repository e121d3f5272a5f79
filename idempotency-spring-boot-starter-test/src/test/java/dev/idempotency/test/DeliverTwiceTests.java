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

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.client.RestTestClient;

import dev.idempotency.test.WithIdempotencyKey.Per;
import dev.idempotency.test.app.Orders;
import dev.idempotency.test.app.Probes;
import dev.idempotency.test.app.ShopApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Requests are delivered twice, which an application that is right does not show, and one
 * that is not does.
 */
@WebMvcTest
@AutoConfigureRestTestClient
@ContextConfiguration(classes = ShopApplication.class)
@Import(Probes.class)
@DeliverTwice
@WithIdempotencyKey(per = Per.REQUEST)
class DeliverTwiceTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private RestTestClient client;

	@Autowired
	private Orders orders;

	@Test
	void aTestOfARightEndpointPassesWithTheFirstAnswer() {
		long shipped = this.orders.countShipped();
		assertThat(
				this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content("{\"item\":\"book\"}"))
			.hasStatus(201)
			.hasHeader("Location", "/orders/" + (shipped + 1))
			.doesNotContainHeader("Idempotent-Replayed");
		assertThat(this.orders.countShipped()).isEqualTo(shipped + 1);
	}

	@Test
	void soDoesOneWithAnAsynchronousEndpoint() {
		long shipped = this.orders.countShipped();
		assertThat(this.mvc.post().uri("/orders/async")).hasStatus(200);
		assertThat(this.orders.countShipped()).isEqualTo(shipped + 1);
	}

	@Test
	void soDoesOneThatSendsFiles() {
		long shipped = this.orders.countShipped();
		assertThat(this.mvc.post()
			.uri("/orders/import")
			.multipart()
			.file(new MockMultipartFile("file", "orders.csv", "text/csv", "book,1".getBytes()))
			.param("sheet", "1")).hasStatus(200);
		assertThat(this.orders.countShipped()).isEqualTo(shipped + 1);
	}

	@Test
	void soDoesOneWithRestTestClient() {
		long shipped = this.orders.countShipped();
		this.client.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"item\":\"lamp\"}")
			.exchange()
			.expectStatus()
			.isCreated()
			.expectHeader()
			.doesNotExist("Idempotent-Replayed")
			.expectBody()
			.jsonPath("$.item")
			.isEqualTo("lamp");
		assertThat(this.orders.countShipped()).isEqualTo(shipped + 1);
	}

	@Test
	void anAnswerThatIsNotFinalIsNotDeliveredAgain() {
		long shipped = this.orders.countShipped();
		assertThat(this.mvc.post().uri("/orders/failing")).hasStatus(503);
		assertThat(this.orders.countShipped()).isEqualTo(shipped + 1);
	}

	@Test
	void anInvalidRequestIsRefusedTwice() {
		assertThat(this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content("{")).hasStatus(400);
	}

	@Test
	void theTestOfAnUnannotatedEndpointFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.mvc.post().uri("/orders/unprotected").exchange())
			.withMessageContaining("POST /orders/unprotected was delivered twice with one idempotency key")
			.withMessageContaining("header Order-Number: first [")
			.withMessageContaining("body: first {\"id\":")
			.withMessageContaining("the handler ran again; is it annotated with @Idempotent?")
			.withMessageContaining("effects: shipped counted");
	}

	@Test
	void soItDoesWithRestTestClient() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.client.post().uri("/orders/unprotected").exchange())
			.withMessageContaining("POST /orders/unprotected was delivered twice")
			.withMessageContaining("effects: shipped counted");
	}

	@Test
	void soItDoesWhereTheAnswersAreTheSame() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.mvc.post().uri("/orders/silent").exchange())
			.withMessageContaining("no header Idempotent-Replayed")
			.withMessageContaining("effects: shipped counted")
			.withMessageNotContaining("body:");
	}

	@Test
	void theTestOfAnEndpointWhoseEffectsAreMadeAroundItFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.mvc.post().uri("/orders/audited").exchange())
			.withMessageContaining("effects: seen counted")
			.withMessageNotContaining("no header")
			.withMessageNotContaining("body:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Order-Number", "order-number" })
	void headersThatAreMadeAnewCanBeNamed(String header) {
		ResponseComparison comparison = new ResponseComparison("POST /", "Replayed", Set.of("order-number"));
		DeliveredResponse first = answer(header, "1");
		assertThat(comparison.differences(first, answer(header, "2"))).isEmpty();
		assertThat(comparison.differences(first, answer("Other", "2")))
			.containsExactly("header Other: first [], then [2]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Set-Cookie", "DPoP-Nonce", "X-Csrf-Token", "X-Api-Key", "Traceresponse",
			"X-Amzn-Trace-Id", "Rate-Limit-Remaining" })
	void headersThatAreNeverStoredAreNotCompared(String header) {
		ResponseComparison comparison = new ResponseComparison("POST /", "Replayed", Set.of());
		assertThat(comparison.differences(answer(header, "1"), answer("Date", "2"))).isEmpty();
	}

	@Test
	void aRefusalThatIsNotStoredMayBeWordedDifferently() {
		ResponseComparison comparison = new ResponseComparison("POST /", "Replayed", Set.of());
		DeliveredResponse first = new DeliveredResponse(400, new HttpHeaders(), "a, b".getBytes());
		comparison.requireReplay(first, new DeliveredResponse(400, new HttpHeaders(), "b, a".getBytes()), List.of());
		HttpHeaders marked = new HttpHeaders();
		marked.add("Replayed", "true");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(
				() -> comparison.requireReplay(first, new DeliveredResponse(400, marked, "b, a".getBytes()), List.of()))
			.withMessageContaining("body: first a, b");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> comparison.requireReplay(first,
					new DeliveredResponse(422, new HttpHeaders(), new byte[0]), List.of()))
			.withMessageContaining("status: first 400, then 422");
	}

	private static DeliveredResponse answer(String header, String value) {
		HttpHeaders headers = new HttpHeaders();
		headers.add(header, value);
		return new DeliveredResponse(200, headers, new byte[0]);
	}

}
