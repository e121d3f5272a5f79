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
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/**
 * A ride from here to there.
 */
@Entity
class Ride {

	@Id
	@GeneratedValue(strategy = GenerationType.UUID)
	private @Nullable UUID id;

	private String owner;

	private double originLat;

	private double originLon;

	private double targetLat;

	private double targetLon;

	private long fareCents;

	private @Nullable String chargeId;

	@Enumerated(EnumType.STRING)
	private RideStatus status;

	private Instant createdAt;

	@SuppressWarnings("NullAway.Init")
	protected Ride() {
	}

	Ride(String owner, RideRequest request) {
		this.owner = owner;
		this.originLat = Objects.requireNonNull(request.originLat());
		this.originLon = Objects.requireNonNull(request.originLon());
		this.targetLat = Objects.requireNonNull(request.targetLat());
		this.targetLon = Objects.requireNonNull(request.targetLon());
		this.fareCents = request.fareCents();
		this.status = RideStatus.CREATED;
		// The database keeps microseconds, and both answers have to show the same.
		this.createdAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
	}

	UUID getId() {
		return Objects.requireNonNull(this.id);
	}

	void book(String chargeId) {
		this.chargeId = chargeId;
		this.status = RideStatus.BOOKED;
	}

	void decline() {
		this.status = RideStatus.DECLINED;
	}

	RideView toView() {
		return new RideView(getId(), this.originLat, this.originLon, this.targetLat, this.targetLon, this.fareCents,
				this.chargeId, this.status.name().toLowerCase(Locale.ROOT), this.createdAt);
	}

}
