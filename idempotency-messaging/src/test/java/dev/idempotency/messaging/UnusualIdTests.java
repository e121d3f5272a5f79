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

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids in headers that are no text, such as the eight bytes of a number, or blank.
 */
class UnusualIdTests {

	private static final List<byte[]> IDS = List.of(new byte[] { 1, (byte) 0x80 }, new byte[] { 1, (byte) 0x81 },
			new byte[] { 1, (byte) 0xEF, (byte) 0xBF, (byte) 0xBD }, new byte[] { 1 }, new byte[] { 0, 1 },
			new byte[0x10]);

	private final HeaderKeys keys = new HeaderKeys(List.of("message-id"));

	@Test
	void differentIdsOfKafkaAreDifferentKeys() {
		Set<String> found = new HashSet<>();
		for (byte[] id : IDS) {
			ConsumerRecord<String, String> message = new ConsumerRecord<>("topic", 0, 0, "key", "value");
			message.headers().add("message-id", id);
			found.add(this.keys.resolve(KafkaInbox.read(message, false, false)));
		}
		assertThat(found).hasSameSizeAs(IDS);
	}

	@Test
	void aBlankIdIsNone() {
		ConsumerRecord<String, String> message = new ConsumerRecord<>("topic", 0, 0, "key", "value");
		message.headers().add("ce_id", " ".getBytes());
		message.headers().add("message-id", " ".getBytes());
		assertThat(this.keys.resolve(KafkaInbox.read(message, false, false))).isNull();
	}

	@Test
	void differentIdsOfRabbitAreDifferentKeys() {
		Set<String> found = new HashSet<>();
		for (byte[] id : IDS) {
			MessageProperties properties = new MessageProperties();
			properties.setHeader("message-id", id);
			found.add(this.keys.resolve(RabbitInbox.read(new Message(new byte[0], properties))));
		}
		assertThat(found).hasSameSizeAs(IDS);
	}

}
