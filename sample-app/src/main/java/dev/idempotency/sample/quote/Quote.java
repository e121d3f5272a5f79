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
package dev.idempotency.sample.quote;

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
 * A quote for a ride.
 */
@Entity
class Quote {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private String owner;

	private long fareCents;

	private Instant createdAt;

	@SuppressWarnings("NullAway.Init")
	protected Quote() {
	}

	Quote(String owner, long fareCents) {
		this.owner = owner;
		this.fareCents = fareCents;
		this.createdAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	QuoteView toView() {
		return new QuoteView(Objects.requireNonNull(this.id), this.fareCents, this.createdAt);
	}

}
