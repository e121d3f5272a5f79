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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The last resort: messages that are known by their position in the log.
 */
class KafkaOffsetTests {

	private final TestDatabase database = Effects.createDatabase();

	private final String topic = TestKafka.createTopic(1);

	private final String deadLetters = TestKafka.createTopic(1);

	@Test
	void messagesWithoutKeyAreSkippedWhenTheirOffsetsAreReset() {
		try (Inbox inbox = start()) {
			send(inbox, "a");
			send(inbox, "a");
			Inbox.await().until(() -> inbox.effects().of("offsets").size() == 2);
		}
		resetOffsets();
		try (Inbox inbox = start()) {
			send(inbox, "end");
			Inbox.await().until(() -> inbox.effects().of("offsets").contains("end"));
			assertThat(inbox.bean(DeliveryCount.class).of("a")).isEqualTo(2);
			assertThat(inbox.effects().of("offsets")).containsExactly("a", "a", "end");
		}
	}

	@Test
	void messageThatComesBackFromDeadLettersIsKnownByWhereItWasFirst() {
		try (Inbox inbox = start()) {
			send(inbox, "poison!");
			Inbox.await().until(() -> !inbox.bean(Failures.class).of(this.topic).isEmpty());
			inbox.bean(OffsetListener.class).repair("poison!");
			redrive(inbox);
			redrive(inbox);
			send(inbox, "end");
			Inbox.await().until(() -> inbox.effects().of("offsets").contains("end"));
			assertThat(inbox.effects().of("offsets")).containsExactly("poison!", "end");
		}
	}

	private void send(Inbox inbox, String payload) {
		inbox.sendToKafka(this.topic, 0, payload, Map.of());
	}

	private void resetOffsets() {
		try (Inbox inbox = Inbox.start(Sender.class, this.database, Map.of());
				Consumer<?, ?> consumer = inbox.bean(ConsumerFactory.class).createConsumer("offsets", "test")) {
			consumer.commitSync(Map.of(new TopicPartition(this.topic, 0), new OffsetAndMetadata(0)));
		}
	}

	@SuppressWarnings("unchecked")
	private void redrive(Inbox inbox) {
		TopicPartition partition = new TopicPartition(this.deadLetters, 0);
		try (Consumer<String, String> consumer = inbox.bean(ConsumerFactory.class).createConsumer("reader", "test")) {
			consumer.assign(List.of(partition));
			consumer.seekToBeginning(List.of(partition));
			ConsumerRecord<String, String> dead = Inbox.await()
				.until(() -> consumer.poll(Duration.ofSeconds(1)).records(partition), (found) -> !found.isEmpty())
				.get(0);
			inbox.bean(KafkaTemplate.class)
				.send(new ProducerRecord<>(this.topic, 0, dead.key(), dead.value(), dead.headers()))
				.join();
		}
	}

	private Inbox start() {
		Map<String, String> settings = new HashMap<>();
		settings.put("topic", this.topic);
		settings.put("dead-letters", this.deadLetters);
		settings.put("idempotency.messaging.offset-keys", "true");
		return Inbox.start(Listeners.class, this.database, settings);
	}

	/**
	 * Listens to nothing.
	 */
	static class Sender {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ KafkaErrorHandling.class, DeliveryCount.class, OffsetListener.class })
	static class Listeners {

	}

	static class OffsetListener {

		private final Set<String> repaired = ConcurrentHashMap.newKeySet();

		private final Effects effects;

		OffsetListener(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@KafkaListener(topics = "${topic}", groupId = "offsets")
		void on(String payload) {
			this.effects.add("offsets", payload);
			if (payload.endsWith("!") && !this.repaired.contains(payload)) {
				throw new IllegalStateException(payload);
			}
		}

		void repair(String payload) {
			this.repaired.add(payload);
		}

	}

}
