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

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;

/**
 * Settings of the outbox.
 *
 * @param enabled Whether events can be published to the outbox, and are relayed by this
 * node.
 * @param broker Broker that events are sent to: auto for the one on the class path,
 * kafka, rabbit.
 * @param pollingInterval Time between two searches for events of other nodes. Events of
 * this node are relayed without waiting for it. Also the pause before the second attempt
 * at an event, doubled for each further one, up to 60 times this time.
 * @param sendTimeout Longest time that the broker may take to acknowledge the events that
 * are sent at once. A transaction of the relay is open for no longer.
 */
@ConfigurationProperties("idempotency.outbox")
record OutboxProperties(@DefaultValue("false") boolean enabled, @DefaultValue("auto") Broker broker,
		@DefaultValue("1s") Duration pollingInterval, @DefaultValue("10s") Duration sendTimeout) {

	public OutboxProperties {
		requireBetween(pollingInterval, Duration.ofMillis(10), Duration.ofHours(1), "outbox.polling-interval",
				"Write a duration from 10ms to 1h, such as 1s.");
		requireBetween(sendTimeout, Duration.ofMillis(100), Duration.ofMinutes(5), "outbox.send-timeout",
				"Write a duration from 100ms to 5m, such as 10s.");
	}

	/**
	 * Brokers that events are sent to.
	 */
	enum Broker {

		/**
		 * The one on the class path.
		 */
		AUTO,

		/**
		 * Kafka.
		 */
		KAFKA,

		/**
		 * RabbitMQ.
		 */
		RABBIT

	}

}
