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
package dev.idempotency.messagingtests.outbox;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import dev.idempotency.messagingtests.broker.TestKafka;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;

import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/**
 * A topic and all that was ever sent to it.
 */
final class Topic implements AutoCloseable {

	private final String name;

	private final Consumer<String, String> consumer;

	private final List<ConsumerRecord<String, String>> received = new ArrayList<>();

	private Topic(String name, int partitions, String bootstrapServers) {
		this.name = name;
		this.consumer = new DefaultKafkaConsumerFactory<>(
				Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers), new StringDeserializer(),
				new StringDeserializer())
			.createConsumer();
		List<TopicPartition> all = IntStream.range(0, partitions).mapToObj((i) -> new TopicPartition(name, i)).toList();
		this.consumer.assign(all);
		this.consumer.seekToBeginning(all);
	}

	static Topic create(int partitions) {
		return new Topic(TestKafka.createTopic(partitions), partitions, TestKafka.bootstrapServers());
	}

	static Topic of(String name) {
		return of(name, TestKafka.bootstrapServers());
	}

	static Topic of(String name, String bootstrapServers) {
		return new Topic(name, 1, bootstrapServers);
	}

	String name() {
		return this.name;
	}

	/**
	 * Everything so far, as soon as there are so many.
	 */
	List<ConsumerRecord<String, String>> await(int count) {
		return awaitUntil(() -> this.received.size() >= count);
	}

	List<String> awaitValues(int count) {
		return await(count).stream().map(ConsumerRecord::value).toList();
	}

	/**
	 * Each value once, in the order of its first arrival: an event whose acknowledgement
	 * was lost is sent again.
	 */
	List<String> awaitDistinctValues(int count) {
		awaitUntil(() -> distinctValues().size() >= count);
		return distinctValues();
	}

	private List<String> distinctValues() {
		return this.received.stream().map(ConsumerRecord::value).distinct().toList();
	}

	private List<ConsumerRecord<String, String>> awaitUntil(BooleanSupplier condition) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			this.consumer.poll(Duration.ofMillis(100)).forEach(this.received::add);
			return condition.getAsBoolean();
		});
		return this.received;
	}

	static String header(ConsumerRecord<?, ?> message, String name) {
		Header header = message.headers().lastHeader(name);
		return (header != null) ? new String(header.value(), StandardCharsets.UTF_8) : "no header " + name;
	}

	@Override
	public void close() {
		this.consumer.close();
	}

}
