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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.backoff.FixedBackOff;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Batches of Kafka that cannot be executed as a whole. Each listener is started when its
 * records are there, so that they come as one batch.
 */
class PartialBatchTests {

	private static final int MAX_KEYS = 1000;

	private static Inbox inbox;

	@BeforeAll
	static void start() {
		List.of("part-keys", "part-limit", "part-failure", "part-mutable", "part-unreadable", "part-dead")
			.forEach((topic) -> TestKafka.createTopic(topic, 1));
		inbox = Inbox.start(Application.class, Map.of("dead-letters", "part-dead",
				"spring.kafka.consumer.max-poll-records", String.valueOf(3 * MAX_KEYS)));
	}

	@AfterAll
	static void stop() {
		inbox.close();
	}

	@Test
	@Tag("M4")
	void recordThatCannotBeKeyedDoesNotDiscardTheOthers() {
		inbox.sendToKafka("part-keys", "1", "aaa 1");
		inbox.sendToKafka("part-keys", "2", "bbb 2");
		inbox.sendToKafka("part-keys", "3", null);
		inbox.sendToKafka("part-keys", "4", "ccc 4");
		inbox.sendToKafka("part-keys", "5", "d");
		inbox.sendToKafka("part-keys", "6", "eee 6");
		listen("part-keys");
		awaitCommitted("part-keys");
		assertThat(inbox.effects().of("part-keys")).containsExactly("aaa 1", "bbb 2", "ccc 4", "eee 6");
		assertThat(inbox.bean(Failures.class).of("part-keys")).hasSize(2);
	}

	@Test
	@Tag("M4")
	@Tag("Y14")
	void batchOfMoreKeysThanATransactionMayClaimIsExecutedInParts() {
		List<String> sent = new ArrayList<>();
		IntStream.rangeClosed(1, 2 * MAX_KEYS + 3).forEach((number) -> {
			inbox.sendToKafka("part-limit", "limit-" + number, "message " + number);
			sent.add("message " + number);
		});
		listen("part-limit");
		awaitCommitted("part-limit");
		assertThat(inbox.effects().of("part-limit")).isEqualTo(sent);
		assertThat(inbox.bean(Failures.class).of("part-limit")).isEmpty();
		assertThat(inbox.bean(Listeners.class).sizes()).containsExactly(MAX_KEYS, MAX_KEYS, 3);
	}

	@Test
	@Tag("M4")
	void recordThatFailsTheWholeListIsTheOnlyOneThatIsDiscarded() {
		for (String payload : List.of("a", "b", "bad!", "c", "worse!", "d")) {
			inbox.sendToKafka("part-failure", payload, payload);
		}
		listen("part-failure");
		awaitCommitted("part-failure");
		assertThat(inbox.effects().of("part-failure")).containsExactly("a", "b", "c", "d");
		assertThat(inbox.bean(Failures.class).of("part-failure")).extracting(Throwable::getMessage)
			.containsExactly("bad!", "worse!");
	}

	@Test
	@Tag("M4")
	void recordThatCannotBeReadIsNotTakenForATombstone() {
		inbox.sendToKafka("part-unreadable", "1", "{\"cents\":1}");
		inbox.sendToKafka("part-unreadable", "2", "{");
		inbox.sendToKafka("part-unreadable", "3", null);
		inbox.sendToKafka("part-unreadable", "4", "{\"cents\":4}");
		listen("part-unreadable");
		awaitCommitted("part-unreadable");
		assertThat(inbox.effects().of("part-unreadable")).containsExactly("1", "none", "4");
		assertThat(inbox.bean(Failures.class).of("part-unreadable")).singleElement()
			.isInstanceOf(JacksonException.class);
	}

	@Test
	@Tag("M7")
	void recordsOfFailedCallAreCalledAgainAsTheyWereDelivered() {
		inbox.sendToKafka("part-mutable", "1", "{\"cents\":5}");
		inbox.sendToKafka("part-mutable", "2", "{\"cents\":7}");
		inbox.sendToKafka("part-mutable", "3", "{\"cents\":-1}");
		inbox.sendToKafka("part-mutable", "4", "{\"cents\":9}");
		listen("part-mutable");
		awaitCommitted("part-mutable");
		assertThat(inbox.effects().of("part-mutable")).containsExactly("500", "700", "900");
		assertThat(inbox.bean(Failures.class).of("part-mutable")).hasSize(1);
	}

	private static void listen(String id) {
		inbox.bean(KafkaListenerEndpointRegistry.class).getListenerContainer(id).start();
	}

	private static void awaitCommitted(String topic) {
		TopicPartition partition = new TopicPartition(topic, 0);
		try (Consumer<?, ?> consumer = inbox.bean(ConsumerFactory.class).createConsumer(topic, "test")) {
			Inbox.await().until(() -> {
				var committed = consumer.committed(Set.of(partition)).get(partition);
				return committed != null && committed.offset() == consumer.endOffsets(Set.of(partition)).get(partition);
			});
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ KafkaErrorHandling.class, Listeners.class })
	static class Application {

		@Bean
		ConcurrentKafkaListenerContainerFactory<Object, Object> amounts(KafkaProperties properties, Failures failures) {
			Deserializer<Object> strings = (topic, data) -> new String(data, StandardCharsets.UTF_8);
			Deserializer<@Nullable Object> values = (topic, data) -> (data != null)
					? JsonMapper.shared().readValue(data, Amount.class) : null;
			ConcurrentKafkaListenerContainerFactory<Object, Object> factory = new ConcurrentKafkaListenerContainerFactory<>();
			factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(properties.buildConsumerProperties(), strings,
					new ErrorHandlingDeserializer<>(values)));
			factory.setCommonErrorHandler(new DefaultErrorHandler(
					(message, failure) -> failures.add(message.topic(), failure), new FixedBackOff(0, 2)));
			factory.setBatchListener(true);
			return factory;
		}

	}

	static class Listeners {

		private final List<Integer> sizes = new CopyOnWriteArrayList<>();

		private final Effects effects;

		Listeners(Effects effects) {
			this.effects = effects;
		}

		List<Integer> sizes() {
			return this.sizes;
		}

		@Idempotent(key = "#payload.substring(0, 3)")
		@KafkaListener(id = "part-keys", topics = "part-keys", batch = "true", autoStartup = "false")
		void keys(List<@Nullable String> payloads) {
			payloads.forEach((payload) -> this.effects.add("part-keys", payload));
		}

		@Idempotent
		@KafkaListener(id = "part-limit", topics = "part-limit", batch = "true", autoStartup = "false")
		void limit(List<String> payloads) {
			this.sizes.add(payloads.size());
			payloads.forEach((payload) -> this.effects.add("part-limit", payload));
		}

		@Idempotent
		@KafkaListener(id = "part-failure", topics = "part-failure", batch = "true", autoStartup = "false")
		void failure(List<String> payloads) {
			for (String payload : payloads) {
				this.effects.add("part-failure", payload);
				if (payload.endsWith("!")) {
					throw new IllegalStateException(payload);
				}
			}
		}

		@Idempotent
		@KafkaListener(id = "part-unreadable", topics = "part-unreadable", containerFactory = "amounts",
				autoStartup = "false")
		void unreadable(List<ConsumerRecord<String, Amount>> messages) {
			messages.forEach((message) -> this.effects.add("part-unreadable",
					(message.value() != null) ? String.valueOf(message.value().cents) : "none"));
		}

		@Idempotent
		@KafkaListener(id = "part-mutable", topics = "part-mutable", containerFactory = "amounts",
				autoStartup = "false")
		void mutable(List<Amount> amounts) {
			for (int index = 0; index < amounts.size(); index++) {
				amounts.get(index).cents *= 100;
				if (amounts.get(index).cents < 0) {
					throw new BatchListenerFailedException("negative", index);
				}
				this.effects.add("part-mutable", String.valueOf(amounts.get(index).cents));
			}
		}

	}

	static class Amount {

		public long cents;

	}

}
