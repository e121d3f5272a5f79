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

import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.UUID;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;
import dev.idempotency.sample.provider.ChargeDeclinedException;
import dev.idempotency.sample.provider.PaymentProvider;
import dev.idempotency.sample.receipt.Receipt;
import dev.idempotency.sample.receipt.ReceiptJob;

/**
 * The API of rides. A ride is created here, charged at the provider, and booked here, in
 * this order and each once, regardless of crashes in between.
 */
@RestController
@RequestMapping("/rides")
class RideController {

	private final RideService rides;

	private final PaymentProvider provider;

	RideController(RideService rides, PaymentProvider provider) {
		this.rides = rides;
		this.provider = provider;
	}

	@Idempotent
	@PostMapping
	ResponseEntity<Object> create(Principal caller, @RequestBody @Valid RideRequest request, Phases phases) {
		String owner = caller.getName();
		UUID id = phases.atomic("ride_created", UUID.class, () -> this.rides.create(owner, request));
		Charged charged = phases.foreign("charge_created", Charged.class, (key) -> charge(owner, id, request, key));
		String chargeId = charged.chargeId();
		if (chargeId == null) {
			return phases.finish(() -> {
				this.rides.decline(id);
				return declined();
			});
		}
		return phases.finish(() -> {
			RideView ride = this.rides.book(id, chargeId);
			phases.stage(ReceiptJob.TYPE, new Receipt(id, owner, request.fareCents()));
			return ResponseEntity.created(URI.create("/rides/" + id)).body(ride);
		});
	}

	private Charged charge(String owner, UUID id, RideRequest request, String key) {
		try {
			return new Charged(this.provider.charge(request.toCharge(owner, id), key).id());
		}
		catch (ChargeDeclinedException ex) {
			return new Charged(null);
		}
	}

	private static ResponseEntity<Object> declined() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED,
				"The card was declined. Use another card, and a new key.");
		problem.setType(URI.create("/problems/card-declined"));
		problem.setTitle("Card declined");
		return ResponseEntity.of(problem).build();
	}

	@GetMapping
	List<RideView> findAll(Principal caller) {
		return this.rides.findAll(caller.getName());
	}

}
