package com.example;

import dev.idempotency.Idempotent;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * Entry and the record of the message are one commit. Usually this is another service,
 * with its own database.
 */
@Component
class Ledger {

	private final JdbcClient jdbc;

	Ledger(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Idempotent
	@KafkaListener(topics = "payments", groupId = "ledger")
	public void enter(PaymentMade payment) {
		this.jdbc.sql("insert into ledger_entry (payment_id, amount_cents) values (?, ?)")
			.params(payment.paymentId(), payment.amountCents())
			.update();
	}

}
