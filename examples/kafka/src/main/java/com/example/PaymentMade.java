package com.example;

import java.util.UUID;

import dev.idempotency.outbox.OutboxEvent;

@OutboxEvent(destination = "payments", key = "paymentId()")
record PaymentMade(UUID paymentId, int amountCents) {

}
