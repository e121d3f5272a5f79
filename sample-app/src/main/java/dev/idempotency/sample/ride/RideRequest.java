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
package dev.idempotency.sample.ride;

import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;

import dev.idempotency.sample.provider.ChargeRequest;
import dev.idempotency.sample.quote.Fare;

/**
 * A request for a ride, with coordinates in degrees and the means of payment.
 *
 * @param originLat latitude of the origin
 * @param originLon longitude of the origin
 * @param targetLat latitude of the target
 * @param targetLon longitude of the target
 * @param cardToken stands for the card, {@code tok_visa} by default
 */
record RideRequest(@NotNull @DecimalMin("-90") @DecimalMax("90") @Nullable Double originLat,
		@NotNull @DecimalMin("-180") @DecimalMax("180") @Nullable Double originLon,
		@NotNull @DecimalMin("-90") @DecimalMax("90") @Nullable Double targetLat,
		@NotNull @DecimalMin("-180") @DecimalMax("180") @Nullable Double targetLon, @Nullable String cardToken) {

	long fareCents() {
		return Fare.cents(degrees(this.originLat), degrees(this.originLon), degrees(this.targetLat),
				degrees(this.targetLon));
	}

	private static double degrees(@Nullable Double validated) {
		return Objects.requireNonNull(validated);
	}

	ChargeRequest toCharge(String owner, UUID rideId) {
		return new ChargeRequest(fareCents(), "usd", Objects.requireNonNullElse(this.cardToken, "tok_visa"),
				"Ride " + rideId, Map.of("ride", rideId.toString(), "user", owner));
	}

}
