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
package dev.idempotency.sample.booking;

import java.security.Principal;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A PUT to a reference that the client chose needs no key: a unique constraint lets one
 * delivery create the booking (201), and every other one finds it (200).
 */
@RestController
@RequestMapping("/bookings")
class BookingController {

	private final BookingRepository bookings;

	BookingController(BookingRepository bookings) {
		this.bookings = bookings;
	}

	@PutMapping("/{reference:[A-Za-z0-9-]{1,64}}")
	@Transactional
	ResponseEntity<BookingView> book(Principal caller, @PathVariable String reference,
			@RequestBody @Valid BookingRequest request) {
		boolean created = this.bookings.insert(caller.getName(), reference, request.seats()) == 1;
		BookingView booking = this.bookings.findByOwnerAndReference(caller.getName(), reference).orElseThrow().toView();
		if (booking.seats() != request.seats()) {
			throw new ErrorResponseException(HttpStatus.CONFLICT);
		}
		return ResponseEntity.status(created ? HttpStatus.CREATED : HttpStatus.OK).body(booking);
	}

}
