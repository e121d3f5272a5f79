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

import org.jspecify.annotations.Nullable;

/**
 * A charge as <a href="https://docs.stripe.com/api/charges/object">Stripe</a> shows it.
 *
 * @param id the identifier
 * @param object the kind of object
 * @param amount the amount in the smallest unit of the currency
 * @param amountCaptured the captured amount: all of it
 * @param amountRefunded the refunded amount: nothing
 * @param captured whether it was taken
 * @param created when, in seconds since 1970
 * @param currency the ISO 4217 code in lower case
 * @param description what the merchant wrote
 * @param livemode whether real money is charged
 * @param metadata data that the merchant keeps with it
 * @param paid whether it succeeded
 * @param refunded whether it was given back
 * @param status the same as a word
 */
record Charge(String id, String object, long amount, long amountCaptured, long amountRefunded, boolean captured,
		long created, String currency, @Nullable String description, boolean livemode, Map<String, String> metadata,
		boolean paid, boolean refunded, String status) {

	static Charge succeeded(String id, long amount, long created, String currency, @Nullable String description,
			Map<String, String> metadata) {
		return new Charge(id, "charge", amount, amount, 0, true, created, currency, description, false, metadata, true,
				false, "succeeded");
	}

}
