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
 * Money that a card paid.
 */
@Entity
class Payment {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private String owner;

	private long amountCents;

	private String currency;

	private long refundedCents;

	private Instant createdAt;

	@SuppressWarnings("NullAway.Init")
	protected Payment() {
	}

	Payment(String owner, long amountCents, String currency) {
		this.owner = owner;
		this.amountCents = amountCents;
		this.currency = currency;
		// The database keeps microseconds, and both answers have to show the same.
		this.createdAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	UUID getId() {
		return Objects.requireNonNull(this.id);
	}

	PaymentView toView() {
		return new PaymentView(getId(), this.amountCents, this.currency, status(), this.createdAt);
	}

	private String status() {
		if (this.refundedCents == 0) {
			return "succeeded";
		}
		return (this.refundedCents < this.amountCents) ? "partially_refunded" : "refunded";
	}

}
