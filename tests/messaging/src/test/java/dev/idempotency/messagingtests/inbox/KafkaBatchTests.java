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

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;

import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.messagingtests.broker.TestKafka;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records from Kafka in batches. Each listener is started when its records are there, so
 * that they come as one batch.
 */
class KafkaBatchTests {

	private static Inbox inbox;

	@BeforeAll
	static void start() {
		List.of("batch", "batch-expression", "batch-poison", "batch-failure", "batch-error",
				KafkaErrorHandling.DEAD_LETTERS + "-of-batches")
			.forEach((topic) -> TestKafka.createTopic(topic, 1));
		inbox = Inbox.start(Listeners.class, Map.of("dead-letters", KafkaErrorHandling.DEAD_LETTERS + "-of-batches"));
	}

	@AfterAll
	static void stop() {
		inbox.close();
	}

	@Test
	void duplicatesAreNotInTheListAndBatchOfDuplicatesIsAcknowledgedWithoutCall() {
		inbox.sendToKafka("batch", "1", "a");
		inbox.sendToKafka("batch", "2", "b");
		inbox.sendToKafka("batch", "1", "a");
		listen("batch");
		awaitCommitted("batch");
		stopListening("batch");
		inbox.sendToKafka("batch", "2", "b");
		inbox.sendToKafka("batch", "3", "c");
		listen("batch");
		awaitCommitted("batch");
		stopListening("batch");
		inbox.sendToKafka("batch", "1", "a");
		inbox.sendToKafka("batch", "3", "c");
		listen("batch");
		awaitCommitted("batch");
		assertThat(inbox.bean(KafkaBatchListeners.class).batches()).containsExactly(List.of("a", "b"), List.of("c"));
		assertThat(inbox.effects().of("batch")).containsExactly("a", "b", "c");
	}

	@Test
	void expressionIsAskedForEachRecord() {
		inbox.sendToKafka("batch-expression", "1", "x");
		inbox.sendToKafka("batch-expression", "2", "y");
		inbox.sendToKafka("batch-expression", "3", "x");
		listen("batch-expression");
		awaitCommitted("batch-expression");
		assertThat(inbox.effects().of("batch-expression")).containsExactly("x", "y");
	}

	@Test
	void recordsBeforeFailedOneAreKeptAndFailedOneIsTheErrorHandlers() {
		inbox.sendToKafka("batch-poison", "0", "duplicate");
		inbox.sendToKafka("batch-poison", "1", "a");
		inbox.sendToKafka("batch-poison", "0", "duplicate");
		inbox.sendToKafka("batch-poison", "2", "b");
		inbox.sendToKafka("batch-poison", "3", "c!");
		inbox.sendToKafka("batch-poison", 0, "no key", Map.of());
		inbox.sendToKafka("batch-poison", "1", "reused");
		inbox.sendToKafka("batch-poison", "4", "d");
		listen("batch-poison");
		awaitCommitted("batch-poison");
		assertThat(inbox.effects().of("batch-poison")).containsExactly("duplicate", "a", "b", "d");
		assertThat(inbox.bean(Failures.class).of("batch-poison")).satisfiesExactly(
				(failure) -> assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessage("c!"),
				(failure) -> assertThat(failure).isInstanceOf(MissingKeyException.class),
				(failure) -> assertThat(failure).isInstanceOf(KeyReusedException.class));
	}

	@Test
	void batchThatFailsAsWholeIsRolledBackAndRunsAgain() {
		inbox.sendToKafka("batch-failure", "1", "a");
		inbox.sendToKafka("batch-failure", "2", "b");
		int records = inbox.effects().records();
		listen("batch-failure");
		awaitCommitted("batch-failure");
		assertThat(inbox.effects().of("batch-failure")).containsExactly("a", "b");
		assertThat(inbox.effects().records()).isEqualTo(records + 2);
	}

	/**
	 * The container stops, as it does without the library.
	 */
	@Test
	void batchThatFailsWithErrorIsRolledBackAndRunsAgainOnceItsContainerIsStarted() {
		inbox.sendToKafka("batch-error", "1", "a");
		inbox.sendToKafka("batch-error", "2", "b");
		listen("batch-error");
		Inbox.await()
			.until(() -> !inbox.bean(KafkaListenerEndpointRegistry.class)
				.getListenerContainer("batch-error")
				.isRunning());
		assertThat(inbox.effects().of("batch-error")).isEmpty();
		listen("batch-error");
		awaitCommitted("batch-error");
		assertThat(inbox.effects().of("batch-error")).containsExactly("a", "b");
	}

	private static void listen(String id) {
		inbox.bean(KafkaListenerEndpointRegistry.class).getListenerContainer(id).start();
	}

	private static void stopListening(String id) {
		inbox.bean(KafkaListenerEndpointRegistry.class).getListenerContainer(id).stop();
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
	@Import({ KafkaErrorHandling.class, KafkaBatchListeners.class })
	static class Listeners {

	}

}
