package com.example;

import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.phase.Phases;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PurchaseController {

	private final JdbcClient jdbc;

	private final PaymentProvider provider;

	PurchaseController(JdbcClient jdbc, PaymentProvider provider) {
		this.jdbc = jdbc;
		this.provider = provider;
	}

	@Idempotent
	@PostMapping("/purchases")
	@ResponseStatus(HttpStatus.CREATED)
	Purchase buy(@RequestBody PurchaseRequest request, Phases phases) {
		UUID id = phases.atomic("purchase_created", UUID.class, () -> insert(request.amountCents()));
		String chargeId = phases.foreign("charge_made", String.class,
				(key) -> this.provider.charge(request.amountCents(), key));
		return phases.finish(() -> complete(new Purchase(id, request.amountCents(), chargeId)));
	}

	private UUID insert(int amountCents) {
		UUID id = UUID.randomUUID();
		this.jdbc.sql("insert into purchase (id, amount_cents) values (?, ?)").params(id, amountCents).update();
		return id;
	}

	private Purchase complete(Purchase purchase) {
		this.jdbc.sql("update purchase set charge_id = ? where id = ?")
			.params(purchase.chargeId(), purchase.id())
			.update();
		return purchase;
	}

	record PurchaseRequest(int amountCents) {

	}

	record Purchase(UUID id, int amountCents, String chargeId) {

	}

}
