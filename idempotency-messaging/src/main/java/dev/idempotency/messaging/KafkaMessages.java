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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.support.KafkaHeaders;

/**
 * Reads records of Kafka.
 *
 * @param positions whether the position in the log may be the key
 */
record KafkaMessages(boolean positions) {

	IncomingMessage read(ConsumerRecord<?, ?> message) {
		Map<String, String> headers = new HashMap<>();
		for (Header header : message.headers()) {
			if (header.value() != null) {
				headers.put(header.key(), IncomingMessage.text(header.value()));
			}
		}
		return new IncomingMessage(message.topic(), headers, message.value(),
				this.positions ? position(message) : null);
	}

	/**
	 * A record that was forwarded to a retry or a dead-letter topic, or back from there,
	 * has its original position in its headers.
	 */
	private static String position(ConsumerRecord<?, ?> message) {
		String dead = position(message, KafkaHeaders.DLT_ORIGINAL_TOPIC, KafkaHeaders.DLT_ORIGINAL_PARTITION,
				KafkaHeaders.DLT_ORIGINAL_OFFSET);
		if (dead != null) {
			return dead;
		}
		String retried = position(message, KafkaHeaders.ORIGINAL_TOPIC, KafkaHeaders.ORIGINAL_PARTITION,
				KafkaHeaders.ORIGINAL_OFFSET);
		return (retried != null) ? retried : position(message.topic(), message.partition(), message.offset());
	}

	private static @Nullable String position(ConsumerRecord<?, ?> message, String topic, String partition,
			String offset) {
		byte[] name = first(message, topic);
		byte[] part = first(message, partition);
		byte[] place = first(message, offset);
		if (name == null || part == null || part.length != Integer.BYTES || place == null
				|| place.length != Long.BYTES) {
			return null;
		}
		return position(new String(name, StandardCharsets.UTF_8), ByteBuffer.wrap(part).getInt(),
				ByteBuffer.wrap(place).getLong());
	}

	private static String position(String topic, int partition, long offset) {
		return topic + "-" + partition + "-" + offset;
	}

	/**
	 * A header is added each time that a record is forwarded.
	 */
	private static byte @Nullable [] first(ConsumerRecord<?, ?> message, String name) {
		for (Header header : message.headers().headers(name)) {
			return header.value();
		}
		return null;
	}

}
