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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.BatchListenerFailedException;

import dev.idempotency.Idempotent;

/**
 * Listeners that get records in batches.
 */
class KafkaBatchListeners {

	private final Effects effects;

	private final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();

	private final Set<String> repaired = ConcurrentHashMap.newKeySet();

	KafkaBatchListeners(Effects effects) {
		this.effects = effects;
	}

	/**
	 * Returns the messages given to the listener, batch by batch.
	 */
	List<List<String>> batches() {
		return List.copyOf(this.batches);
	}

	@Idempotent
	@KafkaListener(id = "batch", topics = "batch", batch = "true", autoStartup = "false")
	void batch(List<String> payloads) {
		this.batches.add(List.copyOf(payloads));
		payloads.forEach((payload) -> this.effects.add("batch", payload));
	}

	@Idempotent(key = "#payload.substring(0, 1) + #message.source()")
	@KafkaListener(id = "batch-expression", topics = "batch-expression", batch = "true", autoStartup = "false")
	void expression(List<ConsumerRecord<String, String>> messages) {
		messages.forEach((message) -> this.effects.add("batch-expression", message.value()));
	}

	/**
	 * Fails at one of them by its index, after those before it were written.
	 */
	@Idempotent
	@KafkaListener(id = "batch-poison", topics = "batch-poison", batch = "true", autoStartup = "false")
	void poison(List<String> payloads) {
		for (int index = 0; index < payloads.size(); index++) {
			this.effects.add("batch-poison", payloads.get(index));
			if (payloads.get(index).endsWith("!")) {
				throw new BatchListenerFailedException("poison", new IllegalStateException(payloads.get(index)), index);
			}
		}
	}

	/**
	 * Fails as a whole, once.
	 */
	@Idempotent
	@KafkaListener(id = "batch-failure", topics = "batch-failure", batch = "true", autoStartup = "false")
	void failure(List<String> payloads) {
		payloads.forEach((payload) -> this.effects.add("batch-failure", payload));
		if (this.repaired.add("batch-failure")) {
			throw new IllegalStateException("the first time");
		}
	}

	/**
	 * Fails with an error, once.
	 */
	@Idempotent
	@KafkaListener(id = "batch-error", topics = "batch-error", batch = "true", autoStartup = "false")
	void error(List<String> payloads) {
		payloads.forEach((payload) -> this.effects.add("batch-error", payload));
		if (this.repaired.add("batch-error")) {
			throw new NoClassDefFoundError("the first time");
		}
	}

}
