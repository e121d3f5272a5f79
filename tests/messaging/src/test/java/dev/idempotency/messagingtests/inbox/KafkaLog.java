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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;

import dev.idempotency.messagingtests.broker.TestKafka;

/**
 * The broker's content of topics with one partition.
 */
final class KafkaLog {

	private KafkaLog() {
	}

	static long end(String topic) {
		try (Consumer<String, String> consumer = consumer("reader")) {
			TopicPartition partition = new TopicPartition(topic, 0);
			return consumer.endOffsets(List.of(partition)).get(partition);
		}
	}

	static long committed(String group) {
		try (Consumer<String, String> consumer = consumer(group)) {
			TopicPartition partition = new TopicPartition(group, 0);
			return consumer.committed(Set.of(partition)).get(partition).offset();
		}
	}

	static ConsumerRecord<String, String> deadLetter(String payload) {
		return read(KafkaErrorHandling.DEAD_LETTERS).stream()
			.filter((message) -> payload.equals(message.value()))
			.findFirst()
			.orElse(null);
	}

	@SuppressWarnings("unchecked")
	static void redrive(Inbox inbox, String payload, String topic) {
		ConsumerRecord<String, String> dead = deadLetter(payload);
		inbox.bean(KafkaTemplate.class)
			.send(new ProducerRecord<>(topic, 0, dead.key(), dead.value(), dead.headers()))
			.join();
	}

	static List<ConsumerRecord<String, String>> read(String topic) {
		try (Consumer<String, String> consumer = consumer("reader")) {
			TopicPartition partition = new TopicPartition(topic, 0);
			consumer.assign(List.of(partition));
			consumer.seekToBeginning(List.of(partition));
			long end = consumer.endOffsets(List.of(partition)).get(partition);
			List<ConsumerRecord<String, String>> found = new ArrayList<>();
			while (consumer.position(partition) < end) {
				consumer.poll(Duration.ofSeconds(1)).forEach(found::add);
			}
			return found;
		}
	}

	private static Consumer<String, String> consumer(String group) {
		return new DefaultKafkaConsumerFactory<>(TestKafka.clientSettings(), new StringDeserializer(),
				new StringDeserializer())
			.createConsumer(group, "test");
	}

}
