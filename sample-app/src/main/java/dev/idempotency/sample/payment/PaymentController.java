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
package dev.idempotency.sample.payment;

import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.UUID;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Scope;

/**
 * The API of payments.
 */
@RestController
@RequestMapping("/payments")
class PaymentController {

	private final PaymentService payments;

	PaymentController(PaymentService payments) {
		this.payments = payments;
	}

	/**
	 * Pays with all defaults: one key of one caller is one request on all endpoints.
	 */
	@Idempotent
	@PostMapping
	ResponseEntity<PaymentView> pay(Principal caller, @RequestBody @Valid PaymentRequest request) {
		PaymentView payment = this.payments.pay(caller.getName(), request);
		return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
	}

	/**
	 * The keys of all operations on the resource {@code payments} are one space, apart
	 * from those of other operations.
	 */
	@Idempotent(scope = Scope.RESOURCE, resource = "payments")
	@PostMapping("/{id}/refunds")
	@ResponseStatus(HttpStatus.CREATED)
	RefundView refund(Principal caller, @PathVariable UUID id, @RequestBody @Valid RefundRequest request) {
		return this.payments.refund(caller.getName(), id, request);
	}

	@GetMapping
	List<PaymentView> findAll(Principal caller) {
		return this.payments.findAll(caller.getName());
	}

	@GetMapping("/{id}")
	PaymentView find(Principal caller, @PathVariable UUID id) {
		return this.payments.find(caller.getName(), id);
	}

}
