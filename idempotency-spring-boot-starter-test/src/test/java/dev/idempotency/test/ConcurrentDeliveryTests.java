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

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import dev.idempotency.test.app.Orders;
import dev.idempotency.test.app.Probes;
import dev.idempotency.test.app.ShopApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Requests are delivered at once.
 */
@WebMvcTest
@ContextConfiguration(classes = ShopApplication.class)
@Import(Probes.class)
@WithIdempotencyKey
class ConcurrentDeliveryTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Orders orders;

	private DeliveredResponse post(String uri) {
		return DeliveredResponse
			.of(this.mvc.post().uri(uri).contentType(MediaType.APPLICATION_JSON).content("{}").exchange());
	}

	@Test
	void ofTheDeliveriesToARightEndpointOneIsExecuted() {
		DeliveredResponse original = ConcurrentDelivery.of(8, () -> post("/orders"))
			.withEffect(this.orders::countShipped)
			.send();
		assertThat(original.status()).isEqualTo(201);
	}

	@Test
	void anUnannotatedEndpointFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(ConcurrentDelivery.of(4, () -> post("/orders/unprotected"))::send)
			.withMessageContaining("Expected one of 4 concurrent deliveries to be executed, but 4 were")
			.withMessageContaining("200 {\"id\":");
	}

	@Test
	void anEffectThatIsMadeMoreThanOnceFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					ConcurrentDelivery.of(4, () -> post("/orders/audited")).withEffect(this.orders::countSeen)::send)
			.withMessageContaining("to have one effect, but they had 5");
	}

	@Test
	void anEffectThatIsNotMadeFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(ConcurrentDelivery.of(2, () -> post("/orders")).withEffect(() -> 0)::send)
			.withMessageContaining("to have one effect, but they had 0");
	}

	@Test
	void aReplayWithAnotherAnswerFails() {
		AtomicInteger deliveries = new AtomicInteger();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(ConcurrentDelivery.of(3, () -> {
			int number = deliveries.incrementAndGet();
			return answer(200, (number > 1) ? "Idempotent-Replayed" : "Other", (number == 2) ? "wrong" : "right");
		}).ignoringHeaders("other")::send)
			.withMessageContaining("body: first right")
			.withMessageContaining("then  wrong");
	}

	@Test
	void aConflictOfAnotherKindIsNoDuplicate() {
		AtomicInteger deliveries = new AtomicInteger();
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(ConcurrentDelivery.of(2,
					() -> (deliveries.incrementAndGet() == 1) ? answer(200, "Other", "right")
							: answer(409, "Other", "The stock is empty"))::send)
			.withMessageContaining("to be executed, but 2 were")
			.withMessageContaining("409 The stock is empty");
	}

	@Test
	void anExceptionOfADeliveryIsThatOfTheTest() {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(ConcurrentDelivery.of(2, () -> {
			throw new IllegalStateException("No connection");
		})::send).withRootCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void oneDeliveryIsNoneAtOnce() {
		assertThatIllegalArgumentException().isThrownBy(() -> ConcurrentDelivery.of(1, () -> post("/orders")))
			.withMessageContaining("at least twice");
	}

	private static DeliveredResponse answer(int status, String header, String body) {
		HttpHeaders headers = new HttpHeaders();
		headers.add(header, "true");
		return new DeliveredResponse(status, headers, body.getBytes(StandardCharsets.UTF_8));
	}

}
