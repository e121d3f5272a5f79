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
package dev.idempotency.sample.receipt;

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
 * A receipt that was sent. Duplicates for one ride would be several rows.
 */
@Entity(name = "receipt")
class SentReceipt {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private UUID rideId;

	private String owner;

	private long amountCents;

	private Instant sentAt;

	@SuppressWarnings("NullAway.Init")
	protected SentReceipt() {
	}

	SentReceipt(Receipt receipt) {
		this.rideId = receipt.rideId();
		this.owner = receipt.owner();
		this.amountCents = receipt.amountCents();
		this.sentAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	ReceiptView toView() {
		return new ReceiptView(Objects.requireNonNull(this.id), this.rideId, this.amountCents, this.sentAt);
	}

}
