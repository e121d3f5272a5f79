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
package dev.idempotency.messagingtests.inbox;

import org.jspecify.annotations.Nullable;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;

import dev.idempotency.Idempotent;

/**
 * Version two of the listeners of {@link RollingDeploymentTests}.
 */
class RollingListeners {

	private final Effects effects;

	private final Bookings bookings;

	RollingListeners(Effects effects, Bookings bookings) {
		this.effects = effects;
		this.bookings = bookings;
	}

	@Idempotent
	@KafkaListener(topics = "${topic}", groupId = "rolling-plain")
	void on(Payment payment, @Header(KafkaHeaders.OFFSET) long offset) {
		add("rolling-plain", payment);
	}

	@Idempotent
	@KafkaListener(id = "rolling-given", topics = "${topic}")
	void renamed(Payment payment) {
		add("rolling-given", payment);
	}

	@Idempotent
	@RabbitListener(queues = "${queue}")
	void rabbit(String payload, @Header(AmqpHeaders.DELIVERY_TAG) long tag) {
		this.effects.add("rolling-rabbit", payload);
	}

	@KafkaListener(topics = "${topic}", groupId = "rolling-service")
	void unprotected(Payment payment) {
		this.bookings.book(payment, null);
	}

	private void add(String listener, Payment payment) {
		this.effects.add(listener, payment.id() + ":" + payment.cents());
	}

	record Payment(String id, long cents, @Nullable String note) {
	}

	static class Bookings {

		private final Effects effects;

		Bookings(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#p0.id()")
		String book(Payment payment, @Nullable String clerk) {
			this.effects.add("rolling-service", payment.id() + ":" + payment.cents());
			return payment.id();
		}

	}

}
