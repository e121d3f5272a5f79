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
package dev.idempotency.autoconfigure.outbox;

import java.util.List;
import java.util.function.Function;

import dev.idempotency.autoconfigure.outbox.OutboxProperties.Broker;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.outbox.EventSender;

/**
 * A broker to which events can be sent.
 *
 * @param broker the selected one
 * @param factory creates its sender
 */
record BrokerSender(Broker broker, Function<OutboxProperties, EventSender> factory) {

	static EventSender choose(List<BrokerSender> present, OutboxProperties properties) {
		List<BrokerSender> chosen = present.stream()
			.filter((sender) -> properties.broker() == Broker.AUTO || properties.broker() == sender.broker())
			.toList();
		if (chosen.isEmpty()) {
			throw new InvalidIdempotentException(
					"The property idempotency.outbox.enabled is 'true', and no broker is available for "
							+ "idempotency.outbox.broker.",
					"Add spring-boot-starter-kafka or spring-boot-starter-amqp, whose ProducerFactory or "
							+ "ConnectionFactory must be the only one or primary, or declare an EventSender bean.");
		}
		if (chosen.size() > 1) {
			throw new InvalidIdempotentException(
					"The property idempotency.outbox.broker is 'auto', and both Kafka and RabbitMQ are available.",
					"Set it to kafka or rabbit, or declare an EventSender bean.");
		}
		return chosen.get(0).factory().apply(properties);
	}

}
