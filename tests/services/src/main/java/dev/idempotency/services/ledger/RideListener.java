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
package dev.idempotency.services.ledger;

import java.util.UUID;

import dev.idempotency.Idempotent;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * Makes one entry for each ride, regardless of redeliveries: the entry and the record of
 * the message are one commit.
 */
@Component
class RideListener {

	private final JdbcClient jdbc;

	RideListener(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Idempotent
	@KafkaListener(topics = "rides", groupId = "ledger")
	public void enter(RideBooked ride) {
		this.jdbc.sql("insert into entry (ride_id, rider, number, fare_cents) values (?, ?, ?, ?)")
			.params(ride.rideId(), ride.rider(), ride.number(), ride.fareCents())
			.update();
	}

	/**
	 * The part of a message that the ledger reads.
	 *
	 * @param rideId the ride
	 * @param rider the rider
	 * @param number the number of rides of the rider this makes
	 * @param fareCents the price
	 */
	record RideBooked(UUID rideId, String rider, int number, int fareCents) {
	}

}
