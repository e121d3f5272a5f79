package com.example;

import java.net.URI;

import dev.idempotency.Idempotent;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private final PaymentRepository payments;

	PaymentController(PaymentRepository payments) {
		this.payments = payments;
	}

	@Idempotent
	@PostMapping("/payments")
	ResponseEntity<Payment> pay(@RequestBody PaymentRequest request) {
		Payment payment = this.payments.save(new Payment(request.amountCents()));
		return ResponseEntity.created(URI.create("/payments/" + payment.getId())).body(payment);
	}

	record PaymentRequest(int amountCents) {

	}

}
