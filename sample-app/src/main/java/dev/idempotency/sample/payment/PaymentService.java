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

import java.util.List;
import java.util.Locale;
import java.util.UUID;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Pays and refunds. Unaware of idempotency: its transactions join the one that also
 * stores the answer.
 */
@Service
class PaymentService {

	private final PaymentRepository payments;

	private final RefundRepository refunds;

	PaymentService(PaymentRepository payments, RefundRepository refunds) {
		this.payments = payments;
		this.refunds = refunds;
	}

	@Transactional
	PaymentView pay(String owner, PaymentRequest request) {
		return switch (CardDecision.of(request.cardToken())) {
			case APPROVED -> this.payments.save(new Payment(owner, request.amountCents().longValueExact(),
					request.currency().toLowerCase(Locale.ROOT)))
				.toView();
			case DECLINED -> throw new CardDeclinedException();
			case UNAVAILABLE -> throw new CardUnavailableException();
		};
	}

	@Transactional
	RefundView refund(String owner, UUID paymentId, RefundRequest request) {
		long amountCents = request.amountCents().longValueExact();
		if (this.payments.refund(paymentId, owner, amountCents) == 0) {
			throw this.payments.existsByIdAndOwner(paymentId, owner) ? new RefundTooLargeException()
					: new PaymentNotFoundException();
		}
		return this.refunds.save(new Refund(paymentId, amountCents)).toView();
	}

	@Transactional(readOnly = true)
	PaymentView find(String owner, UUID id) {
		return this.payments.findByIdAndOwner(id, owner).orElseThrow(PaymentNotFoundException::new).toView();
	}

	@Transactional(readOnly = true)
	List<PaymentView> findAll(String owner) {
		return this.payments.findTop100ByOwnerOrderByCreatedAtDesc(owner).stream().map(Payment::toView).toList();
	}

}
