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

package dev.idempotency.benchmarks.app;

import java.time.Instant;
import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The business row.
 */
@Entity
public class Payment {

	@Id
	private UUID id = UUID.randomUUID();

	private long amountCents;

	private String currency = "";

	private String cardToken = "";

	private Instant createdAt = Instant.now();

	protected Payment() {
	}

	Payment(long amountCents, String currency, String cardToken) {
		this.amountCents = amountCents;
		this.currency = currency;
		this.cardToken = cardToken;
	}

	public UUID getId() {
		return this.id;
	}

	long getAmountCents() {
		return this.amountCents;
	}

	String getCurrency() {
		return this.currency;
	}

	String getCardToken() {
		return this.cardToken;
	}

	Instant getCreatedAt() {
		return this.createdAt;
	}

}
