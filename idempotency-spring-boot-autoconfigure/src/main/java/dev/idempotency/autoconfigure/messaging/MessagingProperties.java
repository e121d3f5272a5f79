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
package dev.idempotency.autoconfigure.messaging;

import java.time.Duration;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.require;
import static dev.idempotency.autoconfigure.PropertyRules.requireBetween;

/**
 * Settings of annotated listeners of Kafka and RabbitMQ.
 *
 * @param ttl Time that the record of a processed message is kept. It must be longer than
 * a broker or an operator may take to deliver the message again.
 * @param keyHeaders Headers that hold the key of a message that is not a CloudEvent, in
 * the order in which they are read.
 * @param offsetKeys Whether a Kafka message without a key is identified by its position
 * in the log. A message that a producer sends twice is then two messages.
 */
@ConfigurationProperties("idempotency.messaging")
record MessagingProperties(@DefaultValue("7d") Duration ttl, @DefaultValue( {
		"id", "message-id", "message_id" }) List<String> keyHeaders, @DefaultValue("false") boolean offsetKeys){

	public MessagingProperties {
		requireBetween(ttl, Duration.ofSeconds(1), Duration.ofDays(3650), "messaging.ttl",
				"Write a duration from 1s to 3650d, such as 7d.");
		keyHeaders.forEach((name) -> require(!name.isBlank(), "messaging.key-headers", keyHeaders,
				"Write names of headers such as message-id."));
	}

}
