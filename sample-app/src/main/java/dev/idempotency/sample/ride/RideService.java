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

import java.util.List;
import java.util.UUID;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Rides in the local database. Each method joins the transaction of the phase that calls
 * it.
 */
@Service
class RideService {

	private final RideRepository rides;

	RideService(RideRepository rides) {
		this.rides = rides;
	}

	@Transactional
	UUID create(String owner, RideRequest request) {
		return this.rides.save(new Ride(owner, request)).getId();
	}

	@Transactional
	RideView book(UUID id, String chargeId) {
		Ride ride = this.rides.findById(id).orElseThrow();
		ride.book(chargeId);
		return ride.toView();
	}

	@Transactional
	void decline(UUID id) {
		this.rides.findById(id).orElseThrow().decline();
	}

	@Transactional(readOnly = true)
	List<RideView> findAll(String owner) {
		return this.rides.findTop100ByOwnerOrderByCreatedAtDesc(owner).stream().map(Ride::toView).toList();
	}

}
