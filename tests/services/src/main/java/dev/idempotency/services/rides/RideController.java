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
package dev.idempotency.services.rides;

import java.util.UUID;

import dev.idempotency.Idempotent;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Books a ride once for each key: ride, answer and event are one commit.
 */
@RestController
class RideController {

	private final JdbcClient jdbc;

	private final ApplicationEventPublisher events;

	RideController(JdbcClient jdbc, ApplicationEventPublisher events) {
		this.jdbc = jdbc;
		this.events = events;
	}

	@Idempotent
	@PostMapping("/rides")
	@ResponseStatus(HttpStatus.CREATED)
	RideBooked book(@RequestBody RideRequest request) {
		int number = this.jdbc.sql("""
				insert into rider (name, rides) values (?, 1)
				on conflict (name) do update set rides = rider.rides + 1 returning rides""")
			.param(request.rider())
			.query(Integer.class)
			.single();
		RideBooked booked = new RideBooked(UUID.randomUUID(), request.rider(), number, request.fareCents());
		this.jdbc.sql("insert into ride (id, rider, fare_cents) values (?, ?, ?)")
			.params(booked.rideId(), booked.rider(), booked.fareCents())
			.update();
		this.events.publishEvent(booked);
		return booked;
	}

	/**
	 * A request for a ride.
	 *
	 * @param rider the rider
	 * @param fareCents the price
	 */
	record RideRequest(String rider, int fareCents) {
	}

}
