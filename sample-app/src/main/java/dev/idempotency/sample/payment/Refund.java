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
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/**
 * Money that was given back.
 */
@Entity
class Refund {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private UUID paymentId;

	private long amountCents;

	private Instant createdAt;

	@SuppressWarnings("NullAway.Init")
	protected Refund() {
	}

	Refund(UUID paymentId, long amountCents) {
		this.paymentId = paymentId;
		this.amountCents = amountCents;
		this.createdAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	RefundView toView() {
		return new RefundView(Objects.requireNonNull(this.id), this.paymentId, this.amountCents, this.createdAt);
	}

}
