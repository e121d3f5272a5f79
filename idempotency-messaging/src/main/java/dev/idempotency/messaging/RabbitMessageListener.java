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

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;

/**
 * Protects a listener that receives single messages.
 */
record RabbitMessageListener(ChannelAwareMessageListener delegate, CurrentDelivery current,
		BiFunction<Message, @Nullable IntPredicate, MessageDelivery> deliveries,
		BooleanSupplier manual) implements ChannelAwareMessageListener {

	@Override
	public void containerAckMode(AcknowledgeMode mode) {
		this.delegate.containerAckMode(mode);
	}

	@Override
	public boolean isAsyncReplies() {
		return this.delegate.isAsyncReplies();
	}

	@Override
	public void onMessage(Message message, @Nullable Channel channel) throws Exception {
		DeferredChannel deferred = (this.manual.getAsBoolean() && channel != null)
				? new DeferredChannel(channel, List.of(message)) : null;
		MessageDelivery delivery = this.deliveries.apply(message, deferred);
		boolean returned = false;
		try {
			this.current.deliver(delivery,
					() -> this.delegate.onMessage(message, (deferred != null) ? deferred.proxy() : channel));
			returned = true;
		}
		finally {
			if (deferred != null && (returned || delivery.isUntouched())) {
				deferred.flush((returned && delivery.isSkipped()) ? List.of(message) : List.of());
			}
			else if (deferred != null) {
				deferred.revoke();
			}
		}
	}

}
