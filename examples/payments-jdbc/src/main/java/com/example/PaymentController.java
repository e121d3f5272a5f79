package com.example;

import java.net.URI;
import java.util.UUID;

import dev.idempotency.Idempotent;

import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private final JdbcClient jdbc;

	PaymentController(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Idempotent
	@PostMapping("/payments")
	ResponseEntity<Payment> pay(@RequestBody PaymentRequest request) {
		Payment payment = new Payment(UUID.randomUUID(), request.amountCents());
		this.jdbc.sql("insert into payment (id, amount_cents) values (?, ?)")
			.params(payment.id(), payment.amountCents())
			.update();
		return ResponseEntity.created(URI.create("/payments/" + payment.id())).body(payment);
	}

	record PaymentRequest(int amountCents) {

	}

	record Payment(UUID id, int amountCents) {

	}

}
