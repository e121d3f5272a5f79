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

import java.time.Duration;

import dev.idempotency.test.app.Orders;
import dev.idempotency.test.app.Probes;
import dev.idempotency.test.app.ShopApplication;
import dev.idempotency.test.assertj.IdempotencyRecords;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice test of annotated controllers, without a database.
 */
@WebMvcTest
@ContextConfiguration(classes = ShopApplication.class)
@Import(Probes.class)
class WebMvcSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Orders orders;

	@Autowired
	private IdempotencyRecords records;

	@Autowired
	private IdempotencyClock clock;

	private MvcTestResult order(String key, String item) {
		return this.mvc.post()
			.uri("/orders")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"item\":\"" + item + "\"}")
			.exchange();
	}

	@Test
	void aSecondDeliveryIsReplayed() throws Exception {
		MvcTestResult first = order("slice", "book");
		assertThat(first).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		long shipped = this.orders.countShipped();
		MvcTestResult second = order("slice", "book");
		assertThat(second).hasStatus(201).containsHeader("Idempotent-Replayed");
		assertThat(second.getResponse().getContentAsString()).isEqualTo(first.getResponse().getContentAsString());
		assertThat(this.orders.countShipped()).isEqualTo(shipped);
	}

	@Test
	void anotherRequestWithTheSameKeyIsRefused() {
		order("slice-reused", "book");
		assertThat(order("slice-reused", "lamp")).hasStatus(422);
	}

	@Test
	void aKeyIsRequired() {
		assertThat(this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content("{}")).hasStatus(400);
	}

	@Test
	void theRecordIsKeptForItsTimeToLive() {
		order("slice-time", "book");
		assertThat(this.records).hasRecordFor("slice-time")
			.withStatus(201)
			.withOperation("POST /orders")
			.withTimeToLive(Duration.ofHours(24));
		this.clock.pass(Duration.ofHours(23));
		assertThat(order("slice-time", "book")).containsHeader("Idempotent-Replayed");
		this.clock.pass(Duration.ofHours(1));
		assertThat(this.records).hasNoRecordFor("slice-time");
		assertThat(order("slice-time", "book")).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
	}

	@Test
	void aHandlerThatIsRolledBackLeavesNoRecord() {
		long shipped = this.orders.countShipped();
		for (int i = 0; i < 2; i++) {
			assertThat(this.mvc.post().uri("/orders/failing").header("Idempotency-Key", "slice-failing"))
				.hasStatus(503);
		}
		assertThat(this.records).hasNoRecordFor("slice-failing");
		assertThat(this.orders.countShipped()).as("it ran again").isEqualTo(shipped + 2);
	}

	@Test
	void anOutgoingRequestFromInsideOfATransactionFails() {
		assertThat(this.mvc.post().uri("/orders/calling").header("Idempotency-Key", "slice-calling")).failure()
			.rootCause()
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("POST /orders/calling");
	}

	/**
	 * The application says otherwise.
	 */
	@Nested
	@TestPropertySource(properties = "idempotency.client.in-transaction=ignore")
	class WithAPropertyOfTheApplication {

		@Test
		void itIsSent() {
			assertThat(WebMvcSliceTests.this.mvc.post()
				.uri("/orders/calling")
				.header("Idempotency-Key", "slice-calling-ignored")).failure()
				.isInstanceOf(ServletException.class)
				.cause()
				.isInstanceOf(ResourceAccessException.class);
		}

	}

}
