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

import java.util.Objects;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;

/**
 * A request for a quote, with coordinates in degrees.
 *
 * @param originLat latitude of the origin
 * @param originLon longitude of the origin
 * @param targetLat latitude of the target
 * @param targetLon longitude of the target
 */
record QuoteRequest(@NotNull @DecimalMin("-90") @DecimalMax("90") @Nullable Double originLat,
		@NotNull @DecimalMin("-180") @DecimalMax("180") @Nullable Double originLon,
		@NotNull @DecimalMin("-90") @DecimalMax("90") @Nullable Double targetLat,
		@NotNull @DecimalMin("-180") @DecimalMax("180") @Nullable Double targetLon) {

	long fareCents() {
		return Fare.cents(degrees(this.originLat), degrees(this.originLon), degrees(this.targetLat),
				degrees(this.targetLon));
	}

	private static double degrees(@Nullable Double validated) {
		return Objects.requireNonNull(validated);
	}

}
