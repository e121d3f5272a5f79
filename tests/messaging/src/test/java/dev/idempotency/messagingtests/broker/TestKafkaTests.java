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
package dev.idempotency.messagingtests.broker;

import java.time.Duration;
import java.util.List;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TestKafka}.
 */
class TestKafkaTests {

	@Test
	void sentMessageIsReceived() {
		String topic = TestKafka.createTopic(1);
		DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(
				TestKafka.clientSettings(), new StringSerializer(), new StringSerializer());
		new KafkaTemplate<>(producers).send(topic, "hello").join();
		producers.destroy();
		try (Consumer<String, String> consumer = new DefaultKafkaConsumerFactory<>(TestKafka.clientSettings(),
				new StringDeserializer(), new StringDeserializer())
			.createConsumer()) {
			List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			assertThat(consumer.poll(Duration.ofSeconds(30))).extracting(ConsumerRecord::value)
				.containsExactly("hello");
		}
	}

}
