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

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A client's view of a ride.
 *
 * @param id the identifier
 * @param originLat the latitude of the start, in degrees
 * @param originLon the longitude of the start, in degrees
 * @param targetLat the latitude of the end, in degrees
 * @param targetLon the longitude of the end, in degrees
 * @param fareCents the fare in US cents
 * @param chargeId the provider's identifier of the charge, {@code null} if there is none
 * @param status {@code created}, {@code booked} or {@code declined}
 * @param createdAt the time at which it was asked for
 */
record RideView(UUID id, double originLat, double originLon, double targetLat, double targetLon, long fareCents,
		@Nullable String chargeId, String status, Instant createdAt) {
}
