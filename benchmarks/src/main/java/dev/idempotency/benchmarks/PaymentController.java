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

package dev.idempotency.benchmarks;

import java.net.URI;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import dev.idempotency.Idempotent;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * One handler three times: unprotected, protected, and protected with an owner that does
 * not come to an end.
 */
@RestController
class PaymentController {

	static final String UNPROTECTED = "/unprotected";

	static final String PROTECTED = "/protected";

	static final String BLOCKED = "/blocked";

	private final Payments payments;

	private final CountDownLatch blockedEntered = new CountDownLatch(1);

	private final CountDownLatch blockedReleased = new CountDownLatch(1);

	PaymentController(Payments payments) {
		this.payments = payments;
	}

	@PostMapping(UNPROTECTED)
	ResponseEntity<PaymentView> payUnprotected(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@Idempotent
	@PostMapping(PROTECTED)
	ResponseEntity<PaymentView> payProtected(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@Idempotent
	@PostMapping(BLOCKED)
	ResponseEntity<PaymentView> payWhenReleased(@RequestBody PaymentRequest request) throws InterruptedException {
		this.blockedEntered.countDown();
		this.blockedReleased.await();
		return pay(request);
	}

	void awaitBlockedOwner() throws InterruptedException {
		this.blockedEntered.await();
	}

	void releaseBlockedOwner() {
		this.blockedReleased.countDown();
	}

	private ResponseEntity<PaymentView> pay(PaymentRequest request) {
		Payment payment = this.payments.pay(request.amountCents(), request.currency(), request.cardToken());
		return ResponseEntity.created(URI.create("/payments/" + payment.getId())).body(PaymentView.of(payment));
	}

	record PaymentRequest(long amountCents, String currency, String cardToken) {
	}

	record PaymentView(UUID id, long amountCents, String currency, String status, Instant createdAt) {

		static PaymentView of(Payment payment) {
			return new PaymentView(payment.getId(), payment.getAmountCents(), payment.getCurrency(), "succeeded",
					payment.getCreatedAt());
		}

	}

}
