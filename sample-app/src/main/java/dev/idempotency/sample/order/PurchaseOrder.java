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
package dev.idempotency.sample.order;

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
 * An order; the word itself is reserved in SQL.
 */
@Entity
class PurchaseOrder {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private String owner;

	private String item;

	private int quantity;

	private Instant createdAt;

	@SuppressWarnings("NullAway.Init")
	protected PurchaseOrder() {
	}

	PurchaseOrder(String owner, String item, int quantity) {
		this.owner = owner;
		this.item = item;
		this.quantity = quantity;
		this.createdAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	OrderView toView() {
		return new OrderView(Objects.requireNonNull(this.id), this.item, this.quantity, this.createdAt);
	}

}
