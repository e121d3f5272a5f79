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
package dev.idempotency.messaging;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

/**
 * Reads messages of RabbitMQ.
 */
final class RabbitMessages {

	private static final String FIRST_DEATH_QUEUE = "x-first-death-queue";

	private RabbitMessages() {
	}

	static IncomingMessage read(Message message) {
		MessageProperties properties = message.getMessageProperties();
		Map<String, String> headers = new HashMap<>();
		properties.getHeaders().forEach((name, value) -> put(headers, name, value));
		put(headers, "message-id", properties.getMessageId());
		put(headers, "correlation-id", properties.getCorrelationId());
		put(headers, "type", properties.getType());
		return new IncomingMessage(queue(message), headers, message.getBody(), null);
	}

	/**
	 * A message that returns through a dead-letter queue still belongs to its first
	 * queue.
	 */
	static String queue(Message message) {
		MessageProperties properties = message.getMessageProperties();
		if (properties.getHeader(FIRST_DEATH_QUEUE) instanceof String first && !first.isEmpty()) {
			return first;
		}
		String queue = properties.getConsumerQueue();
		return (queue != null) ? queue : "";
	}

	private static void put(Map<String, String> headers, String name, @Nullable Object value) {
		if (value instanceof byte[] bytes) {
			headers.put(name, IncomingMessage.text(bytes));
		}
		else if (value != null) {
			headers.put(name, value.toString());
		}
	}

}
