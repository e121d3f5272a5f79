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

import java.math.BigDecimal;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/**
 * A client's payment.
 *
 * @param amountCents the amount
 * @param currency the ISO 4217 code, in either case
 * @param cardToken stands for the card
 */
record PaymentRequest(@AmountCents BigDecimal amountCents,
		@NotNull @Pattern(regexp = "[A-Za-z]{3}", message = "must be an ISO 4217 code such as usd") String currency,
		@NotBlank String cardToken) {
}
