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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.SendTo;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;

/**
 * Listeners that get record by record. A payload with an exclamation mark fails as long
 * as it is not repaired.
 */
class KafkaRecordListeners {

	private final Effects effects;

	private final Set<String> repaired = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean early = new AtomicBoolean();

	KafkaRecordListeners(Effects effects) {
		this.effects = effects;
	}

	void repair(String payload) {
		this.repaired.add(payload);
	}

	private void add(String listener, @Nullable String payload) {
		this.effects.add(listener, payload);
		if (payload != null && payload.endsWith("!") && !this.repaired.contains(payload)) {
			throw new IllegalStateException(payload);
		}
	}

	@Idempotent
	@KafkaListener(topics = "plain", groupId = "plain")
	void plain(@Payload(required = false) @Nullable String payload) {
		add("plain", payload);
	}

	@Idempotent(key = "#payload.substring(0, 1)")
	@KafkaListener(topics = "expression", groupId = "expression")
	void expression(String payload) {
		add("expression", payload);
	}

	@Idempotent(required = Required.FALSE)
	@KafkaListener(topics = "optional", groupId = "optional")
	void optional(String payload) {
		add("optional", payload);
	}

	@Idempotent
	@KafkaListener(topics = "groups", groupId = "one")
	@KafkaListener(topics = "groups", groupId = "other")
	void groups(String payload) {
		add("groups", payload);
	}

	@Idempotent
	@KafkaListener(topics = "groups", groupId = "third")
	void thirdGroup(String payload) {
		add("third", payload);
	}

	@Idempotent
	@KafkaListener(topics = { "place-one", "place-two" }, groupId = "places")
	void places(String payload) {
		add("places", payload);
	}

	@Idempotent
	@SendTo("replies")
	@KafkaListener(topics = "asked", groupId = "asked")
	String asked(String payload) {
		add("asked", payload);
		return "reply " + this.effects.calls();
	}

	@Idempotent
	@RetryableTopic(attempts = "3", backOff = @org.springframework.kafka.annotation.BackOff(delay = 10))
	@KafkaListener(topics = "retried", groupId = "retried")
	void retried(String payload) {
		this.effects.add("retried", payload);
		if (payload.endsWith("!") && this.repaired.add(payload)) {
			throw new IllegalStateException(payload);
		}
	}

	@Idempotent
	@KafkaListener(topics = "swallowed", groupId = "swallowed", errorHandler = "swallowing")
	void swallowed(String payload) {
		add("swallowed", payload);
	}

	@Idempotent
	@KafkaListener(topics = "manual", groupId = "manual", containerFactory = "manualFactory")
	void manual(ConsumerRecord<String, String> message, Acknowledgment acknowledgment, Consumer<?, ?> consumer) {
		String payload = message.value();
		this.effects.add("manual", payload);
		if (payload.endsWith("?") && this.repaired.add(payload)) {
			acknowledgment.nack(Duration.ofMillis(10));
			return;
		}
		acknowledgment.acknowledge();
		if (isCommitted(message, consumer)) {
			this.early.set(true);
		}
		if (payload.endsWith("!") && this.repaired.add(payload)) {
			throw new IllegalStateException("after the acknowledgment");
		}
	}

	private static boolean isCommitted(ConsumerRecord<?, ?> message, Consumer<?, ?> consumer) {
		TopicPartition partition = new TopicPartition(message.topic(), message.partition());
		OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
		return committed != null && committed.offset() > message.offset();
	}

	/**
	 * Returns whether the broker knew of an acknowledgment before the method had
	 * returned.
	 */
	boolean isAcknowledgedEarly() {
		return this.early.get();
	}

}
