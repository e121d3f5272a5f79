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

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several consumers, in one application and in several.
 */
class ConcurrencyTests {

	private static final int MESSAGES = 150;

	private static final int COPIES = 3;

	private final TestDatabase database = Effects.createDatabase();

	private final Map<String, String> settings = new HashMap<>(Map.of("topic", TestKafka.createTopic(6), "gated-topic",
			TestKafka.createTopic(2), "batch-topic", TestKafka.createTopic(6), "queue", TestRabbit.queueName(),
			"gated-queue", TestRabbit.queueName(), "dead-letters", TestKafka.createTopic(1)));

	@Test
	void duplicateOnOtherPartitionWaitsForTheFirst() {
		String topic = this.settings.get("gated-topic");
		try (Inbox inbox = start()) {
			sendToPartitions(inbox, topic);
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("twice") == 2);
			Inbox.await().until(() -> inbox.bean(Gate.class).arrived() == 1);
			inbox.bean(Gate.class).open();
			awaitCommitted(inbox, topic, "gated-kafka", 2);
			assertThat(inbox.effects().of("gated-kafka")).containsExactly("twice");
			assertThat(inbox.effects().calls()).isEqualTo(1);
			assertThat(inbox.bean(Failures.class).of(topic)).isEmpty();
		}
	}

	/**
	 * The error handler of the application gives up after three attempts.
	 */
	@Test
	@Tag("M6")
	void duplicateThatMayNotWaitIsPolledAgainAndNeverGivenToErrorHandler() {
		String topic = this.settings.get("gated-topic");
		this.settings.put("idempotency.in-flight.wait", "1ms");
		try (Inbox inbox = start()) {
			sendToPartitions(inbox, topic);
			Inbox.await().until(() -> inbox.bean(Gate.class).arrived() == 1);
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("twice") > 6);
			inbox.bean(Gate.class).open();
			awaitCommitted(inbox, topic, "gated-kafka", 2);
			assertThat(inbox.effects().of("gated-kafka")).containsExactly("twice");
			assertThat(inbox.bean(Failures.class).of(topic)).isEmpty();
		}
	}

	/**
	 * To two consumers: one that had both partitions would stand at the gate with both.
	 */
	private static void sendToPartitions(Inbox inbox, String topic) {
		var containers = inbox.bean(KafkaListenerEndpointRegistry.class).getListenerContainers();
		for (MessageListenerContainer container : containers) {
			if (container instanceof ConcurrentMessageListenerContainer<?, ?> concurrent
					&& "gated-kafka".equals(container.getGroupId())) {
				Inbox.await()
					.until(() -> concurrent.getContainers().stream().allMatch((consumer) -> partitions(consumer) == 1));
			}
		}
		Map<String, String> headers = Map.of("message-id", Inbox.randomId());
		inbox.sendToKafka(topic, 0, "twice", headers);
		inbox.sendToKafka(topic, 1, "twice", headers);
	}

	private static int partitions(MessageListenerContainer consumer) {
		Collection<TopicPartition> assigned = consumer.getAssignedPartitions();
		return (assigned != null) ? assigned.size() : 0;
	}

	@Test
	void duplicateAtOtherConsumerOfQueueWaitsForTheFirst() {
		String queue = this.settings.get("gated-queue");
		try (Inbox inbox = start()) {
			String id = Inbox.randomId();
			inbox.sendToRabbit(queue, id, "twice");
			inbox.sendToRabbit(queue, id, "twice");
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("twice") == 2);
			Inbox.await().until(() -> inbox.bean(Gate.class).arrived() == 1);
			inbox.bean(Gate.class).open();
			Inbox.await().until(() -> inbox.effects().of("gated-rabbit").contains("twice"));
			inbox.sendToRabbit(queue, Inbox.randomId(), "end");
			Inbox.await().until(() -> inbox.effects().of("gated-rabbit").contains("end"));
			assertThat(inbox.effects().of("gated-rabbit")).containsExactly("twice", "end");
			assertThat(inbox.effects().calls()).isEqualTo(2);
		}
	}

	@Test
	void eachMessageHasOneEffectWhileConsumersComeAndGo() {
		String topic = this.settings.get("topic");
		try (Inbox first = start()) {
			List<Integer> numbers = numbers();
			send(first, numbers.subList(0, numbers.size() / 3));
			try (Inbox second = start()) {
				send(first, numbers.subList(numbers.size() / 3, 2 * numbers.size() / 3));
				awaitEffects(second, MESSAGES / 2);
			}
			try (Inbox third = start()) {
				send(third, numbers.subList(2 * numbers.size() / 3, numbers.size()));
				awaitEffects(third, MESSAGES);
				awaitCommitted(third, topic, "kafka", 6);
				awaitCommitted(third, this.settings.get("batch-topic"), "batch", 6);
				Inbox.await()
					.until(() -> third.bean(RabbitAdmin.class)
						.getQueueInfo(this.settings.get("queue"))
						.getMessageCount() == 0);
			}
			assertThat(first.effects().of("kafka")).hasSize(MESSAGES).doesNotHaveDuplicates();
			assertThat(first.effects().of("batch")).hasSize(MESSAGES).doesNotHaveDuplicates();
			assertThat(first.effects().of("rabbit")).hasSize(MESSAGES).doesNotHaveDuplicates();
			assertThat(first.bean(Failures.class).of(topic)).isEmpty();
			assertThat(first.bean(Failures.class).of(this.settings.get("batch-topic"))).isEmpty();
		}
	}

	private static List<Integer> numbers() {
		List<Integer> numbers = new ArrayList<>();
		IntStream.range(0, COPIES * MESSAGES).forEach((i) -> numbers.add(i % MESSAGES));
		Collections.shuffle(numbers, new Random(7));
		return numbers;
	}

	/**
	 * Each copy goes to any partition.
	 */
	private void send(Inbox inbox, List<Integer> numbers) {
		Random random = new Random(11);
		for (int number : numbers) {
			String payload = "message " + number;
			inbox.sendToKafka(this.settings.get("topic"), random.nextInt(6), payload, Map.of("id", payload));
			inbox.sendToKafka(this.settings.get("batch-topic"), random.nextInt(6), payload, Map.of("id", payload));
			inbox.sendToRabbit(this.settings.get("queue"), payload, payload);
		}
	}

	private static void awaitEffects(Inbox inbox, int count) {
		Inbox.await()
			.until(() -> Stream.of("kafka", "batch", "rabbit")
				.allMatch((listener) -> inbox.effects().of(listener).size() >= count));
	}

	private static void awaitCommitted(Inbox inbox, String topic, String group, int partitions) {
		List<TopicPartition> all = IntStream.range(0, partitions)
			.mapToObj((i) -> new TopicPartition(topic, i))
			.toList();
		try (Consumer<?, ?> consumer = inbox.bean(ConsumerFactory.class).createConsumer(group, "test")) {
			Inbox.await().until(() -> {
				Map<TopicPartition, Long> ends = consumer.endOffsets(all);
				var committed = consumer.committed(Set.copyOf(all));
				return all.stream()
					.allMatch((partition) -> committed.get(partition) != null
							&& committed.get(partition).offset() == ends.get(partition));
			});
		}
	}

	private Inbox start() {
		return Inbox.start(ConcurrentListeners.class, this.database, this.settings);
	}

}
