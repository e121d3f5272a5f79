package com.example;

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
 * Payment, event and response are one commit.
 */
@RestController
class PaymentController {

	private final JdbcClient jdbc;

	private final ApplicationEventPublisher events;

	PaymentController(JdbcClient jdbc, ApplicationEventPublisher events) {
		this.jdbc = jdbc;
		this.events = events;
	}

	@Idempotent
	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	PaymentMade pay(@RequestBody PaymentRequest request) {
		PaymentMade payment = new PaymentMade(UUID.randomUUID(), request.amountCents());
		this.jdbc.sql("insert into payment (id, amount_cents) values (?, ?)")
			.params(payment.paymentId(), payment.amountCents())
			.update();
		this.events.publishEvent(payment);
		return payment;
	}

	record PaymentRequest(int amountCents) {

	}

}
