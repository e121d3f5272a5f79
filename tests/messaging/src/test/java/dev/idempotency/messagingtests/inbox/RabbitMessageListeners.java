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

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.rabbitmq.client.Channel;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.messaging.handler.annotation.Header;

import dev.idempotency.Idempotent;

/**
 * Listeners of RabbitMQ. A payload with an exclamation mark fails as long as it is not
 * repaired.
 */
class RabbitMessageListeners {

	private final Effects effects;

	private final Set<String> repaired = ConcurrentHashMap.newKeySet();

	private final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();

	RabbitMessageListeners(Effects effects) {
		this.effects = effects;
	}

	void repair(String payload) {
		this.repaired.add(payload);
	}

	List<List<String>> batches() {
		return List.copyOf(this.batches);
	}

	@Idempotent
	@RabbitListener(queues = "plain")
	void plain(String payload) {
		this.effects.add("plain", payload);
		if (payload.endsWith("!") && !this.repaired.contains(payload)) {
			throw new IllegalStateException(payload);
		}
	}

	@Idempotent
	@RabbitListener(queues = { "one", "other" })
	void twoQueues(String payload) {
		this.effects.add("queues", payload);
	}

	@Idempotent
	@RabbitListener(queues = "asked")
	String asked(String payload) {
		this.effects.add("asked", payload);
		return "reply " + this.effects.calls();
	}

	@Idempotent
	@RabbitListener(queues = "manual", containerFactory = "manualFactory", ackMode = "MANUAL")
	void manual(String payload, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) throws IOException {
		this.effects.add("manual", payload);
		if (payload.endsWith("?") && this.repaired.add(payload)) {
			channel.basicNack(tag, false, true);
			return;
		}
		channel.basicAck(tag, false);
		if (payload.endsWith("!") && this.repaired.add(payload)) {
			throw new IllegalStateException("after the acknowledgment");
		}
	}

	@Idempotent
	@RabbitListener(id = "batch", queues = "batch", containerFactory = "batchFactory", autoStartup = "false")
	void batch(List<String> payloads) {
		this.batches.add(List.copyOf(payloads));
		payloads.forEach((payload) -> this.effects.add("batch", payload));
		if (payloads.stream().anyMatch((payload) -> payload.endsWith("!") && this.repaired.add(payload))) {
			throw new IllegalStateException("the first time");
		}
	}

	/**
	 * Fails at one of them, and changes the body of each.
	 */
	@Idempotent(key = "#payload.length < 3 ? null : #message.headers()['message-id']")
	@RabbitListener(id = "batch-part", queues = "batch-part", containerFactory = "batchFactory", autoStartup = "false")
	void batchPart(List<Message> messages) {
		for (Message message : messages) {
			String payload = new String(message.getBody());
			Arrays.fill(message.getBody(), (byte) '*');
			this.effects.add("batch-part", payload);
			if (payload.endsWith("!")) {
				throw new IllegalStateException(payload);
			}
		}
	}

	@Idempotent
	@RabbitListener(queues = "fragments")
	void fragments(String payload) {
		this.effects.add("fragments", payload);
	}

	@Idempotent
	@RabbitListener(id = "fragment-lists", queues = "fragment-lists", containerFactory = "batchFactory",
			autoStartup = "false")
	void fragmentLists(List<String> payloads) {
		payloads.forEach((payload) -> this.effects.add("fragment-lists", payload));
	}

}
