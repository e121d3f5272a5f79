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
package dev.idempotency.provider;

import java.util.Map;
import java.util.Objects;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A merchant's form to charge a card. An invalid form never runs, so that it is not
 * stored under the key and may be corrected.
 *
 * @param amount the amount in the smallest unit of the currency
 * @param currency the ISO 4217 code, in either case
 * @param source stands for the card
 * @param description what the merchant wants to read about it, or {@code null}
 * @param metadata what the merchant wants to keep with it
 */
record ChargeForm(
		@NotNull @Min(value = 1, message = "Invalid positive integer") @Max(value = 99_999_999,
				message = "Amount must be no more than 999,999.99") Long amount,
		@NotNull @Pattern(regexp = "[A-Za-z]{3}", message = "Invalid currency") String currency,
		@NotNull @Pattern(regexp = "tok_\\w+", message = "No such token") String source, @Nullable String description,
		Map<String, String> metadata) {

	@SuppressWarnings("NullAway") // the binder ignores nullness annotations
	ChargeForm {
		metadata = Objects.requireNonNullElseGet(metadata, Map::of);
	}

	boolean isDeclined() {
		return this.source.equals("tok_declined") || this.source.equals("tok_chargeDeclined");
	}

}
