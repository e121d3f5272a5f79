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

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.test.WithIdempotencyKey.Per;
import dev.idempotency.test.app.Orders;
import dev.idempotency.test.app.Probes;
import dev.idempotency.test.app.ShopApplication;
import dev.idempotency.test.assertj.IdempotencyRecords;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of a test have a key that the test does not write down.
 */
@WebMvcTest
@AutoConfigureRestTestClient
@ContextConfiguration(classes = ShopApplication.class)
@Import(Probes.class)
class WithIdempotencyKeyTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private RestTestClient client;

	@Autowired
	private IdempotencyOperations operations;

	@Autowired
	private IdempotencyRecords records;

	@Autowired
	private Orders orders;

	private MvcTestResult order() {
		return this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content("{}").exchange();
	}

	@Test
	@WithIdempotencyKey("fixed")
	void aFixedKeyIsThatOfAllRequests() {
		assertThat(order()).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		assertThat(order()).hasStatus(201).containsHeader("Idempotent-Replayed");
		this.client.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{}")
			.exchange()
			.expectHeader()
			.exists("Idempotent-Replayed");
		assertThat(this.records).hasRecordFor("fixed");
	}

	@Test
	@WithIdempotencyKey
	void aGeneratedKeyIsThatOfTheTest(IdempotencyKey key) {
		assertThat(order()).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		assertThat(order()).containsHeader("Idempotent-Replayed");
		assertThat(this.records).hasRecordFor(key.value()).withStatus(201);
	}

	@Test
	@WithIdempotencyKey
	void itIsKnownToThreadsOfTheTest(IdempotencyKey key) {
		CompletableFuture<MvcTestResult> result = new CompletableFuture<>();
		new Thread(() -> result.complete(order())).start();
		assertThat(result.join()).hasStatus(201);
		assertThat(this.records).hasRecordFor(key.value());
	}

	@Test
	@WithIdempotencyKey(per = Per.REQUEST)
	void eachRequestCanHaveItsOwn() {
		assertThat(order()).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		assertThat(order()).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
	}

	@Test
	@WithIdempotencyKey
	void theKeyOfARequestWins() {
		String own = UUID.randomUUID().toString();
		this.mvc.post()
			.uri("/orders")
			.header("Idempotency-Key", own)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{}")
			.exchange();
		assertThat(this.records).hasRecordFor(own);
	}

	@Test
	@WithIdempotencyKey
	void operationsTakeItFromAParameter(IdempotencyKey key) {
		IdempotencyRequest request = IdempotencyRequest.of("order.ship", key.value());
		Long first = this.operations.execute(request, Long.class, this.orders::ship);
		assertThat(this.operations.execute(request, Long.class, this.orders::ship)).isEqualTo(first);
		assertThat(this.records).hasRecordFor(key.value()).withStatus(0).withOperation("order.ship");
	}

	@Test
	void withoutTheAnnotationThereIsNoKey() {
		assertThat(order()).hasStatus(400);
	}

	@Test
	@WithIdempotencyKey(methods = "PATCH")
	void otherMethodsGetNone() {
		assertThat(order()).hasStatus(400);
	}

	@Nested
	@WithIdempotencyKey
	class OnAClass {

		@Test
		void itIsThatOfEachMethod(IdempotencyKey key) {
			assertThat(order()).hasStatus(201);
			assertThat(WithIdempotencyKeyTests.this.records).hasRecordFor(key.value());
		}

		@Test
		@WithIdempotencyKey("of the method")
		void theMethodsWins(IdempotencyKey key) {
			assertThat(key.value()).isEqualTo("of the method");
		}

	}

}
