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
package dev.idempotency.sample.payment;

import java.time.Instant;
import java.util.UUID;

import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.IdempotencyKey;
import dev.idempotency.test.WithIdempotencyKey;
import dev.idempotency.test.assertj.IdempotencyRecords;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.csrf;
import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.user;

/**
 * The controller alone: no database, the store is in memory.
 */
@WebMvcTest(PaymentController.class)
class PaymentControllerTests {

	private static final PaymentView PAYMENT = new PaymentView(UUID.randomUUID(), 5000, "usd", "succeeded",
			Instant.EPOCH);

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private IdempotencyRecords records;

	@MockitoBean
	private PaymentService payments;

	private MvcTestResult pay(String user) {
		return this.mvc.post()
			.uri("/payments")
			.with(user(user))
			.with(csrf())
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}")
			.exchange();
	}

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void aPaymentThatIsDeliveredTwiceIsMadeOnce(IdempotencyKey key) {
		given(this.payments.pay(eq("alice"), any())).willReturn(PAYMENT);
		assertThat(pay("alice")).hasStatus(201).hasHeader("Location", "/payments/" + PAYMENT.id());
		verify(this.payments, times(1)).pay(eq("alice"), any());
		assertThat(this.records.of("alice")).hasRecordFor(key.value()).withStatus(201);
	}

	@Test
	@WithIdempotencyKey
	void anotherUserHasKeysOfItsOwn() {
		given(this.payments.pay(any(), any())).willReturn(PAYMENT);
		assertThat(pay("alice")).hasStatus(201);
		assertThat(pay("bob")).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		verify(this.payments).pay(eq("bob"), any());
	}

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void aDeclineIsKept(IdempotencyKey key) {
		given(this.payments.pay(eq("alice"), any())).willThrow(new CardDeclinedException());
		assertThat(pay("alice")).hasStatus(402);
		verify(this.payments, times(1)).pay(any(), any());
		assertThat(this.records.of("alice")).hasRecordFor(key.value()).withStatus(402);
	}

	@Test
	void aPaymentWithoutAKeyIsRefused() {
		assertThat(pay("alice")).hasStatus(400);
		verify(this.payments, never()).pay(any(), any());
	}

}
