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
package dev.idempotency.messaging;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

import dev.idempotency.engine.CallBatch.RefusedCallException;

/**
 * Protects a listener that receives messages in batches.
 */
record RabbitBatchListener(ChannelAwareBatchMessageListener delegate, CurrentDelivery current,
		Function<List<Message>, BatchDelivery> deliveries,
		BooleanSupplier manual) implements ChannelAwareBatchMessageListener {

	@Override
	public void containerAckMode(AcknowledgeMode mode) {
		this.delegate.containerAckMode(mode);
	}

	@Override
	public boolean isAsyncReplies() {
		return this.delegate.isAsyncReplies();
	}

	/**
	 * The channel is watched in every mode: a message that cannot be converted is
	 * rejected on it, while the others are processed.
	 */
	@Override
	public void onMessageBatch(List<Message> messages, @Nullable Channel channel) {
		BatchDelivery delivery = claim(messages);
		List<Message> fresh = delivery.fresh(messages);
		DeferredChannel deferred = (channel != null) ? new DeferredChannel(channel, fresh) : null;
		boolean returned = false;
		try {
			if (!fresh.isEmpty()) {
				delivery.refusedBy(deferred);
				this.current.deliver(delivery,
						() -> this.delegate.onMessageBatch(fresh, (deferred != null) ? deferred.proxy() : null));
			}
			returned = true;
		}
		finally {
			delivery.close();
			if (deferred != null && returned) {
				deferred.flush(this.manual.getAsBoolean() ? skipped(messages, fresh) : List.of());
			}
			else if (deferred != null) {
				deferred.revoke();
			}
		}
	}

	private BatchDelivery claim(List<Message> messages) {
		try {
			return this.deliveries.apply(messages);
		}
		catch (RefusedCallException ex) {
			throw ex.reason();
		}
	}

	/**
	 * Messages that were sent as one share a delivery, which is left to the listener if
	 * it receives any of them.
	 */
	private static List<Message> skipped(List<Message> messages, List<Message> fresh) {
		Set<Long> given = new HashSet<>();
		fresh.forEach((message) -> given.add(message.getMessageProperties().getDeliveryTag()));
		return messages.stream()
			.filter((message) -> !given.contains(message.getMessageProperties().getDeliveryTag()))
			.toList();
	}

}
