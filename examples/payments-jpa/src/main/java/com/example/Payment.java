package com.example;

import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

@Entity
class Payment {

	@Id
	@GeneratedValue
	private UUID id;

	private int amountCents;

	protected Payment() {
	}

	Payment(int amountCents) {
		this.amountCents = amountCents;
	}

	public UUID getId() {
		return this.id;
	}

	public int getAmountCents() {
		return this.amountCents;
	}

}
