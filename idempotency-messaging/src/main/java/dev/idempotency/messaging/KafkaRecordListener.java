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

import java.util.function.BiFunction;
import java.util.function.IntPredicate;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Protects a listener that receives single records.
 */
final class KafkaRecordListener<K, V>
		extends AbstractDelegatingMessageListenerAdapter<AcknowledgingConsumerAwareMessageListener<K, V>>
		implements AcknowledgingConsumerAwareMessageListener<K, V> {

	private final CurrentDelivery current;

	private final BiFunction<ConsumerRecord<K, V>, @Nullable IntPredicate, MessageDelivery> deliveries;

	KafkaRecordListener(AcknowledgingConsumerAwareMessageListener<K, V> delegate, CurrentDelivery current,
			BiFunction<ConsumerRecord<K, V>, @Nullable IntPredicate, MessageDelivery> deliveries) {
		super(delegate);
		this.current = current;
		this.deliveries = deliveries;
	}

	@Override
	public void onMessage(ConsumerRecord<K, V> message, @Nullable Acknowledgment acknowledgment,
			@Nullable Consumer<?, ?> consumer) {
		DeferredAcknowledgment deferred = (acknowledgment != null)
				? new DeferredAcknowledgment(acknowledgment, (index) -> index) : null;
		MessageDelivery delivery = this.deliveries.apply(message, deferred);
		boolean returned = false;
		try {
			this.current.deliver(delivery, () -> this.delegate.onMessage(message, deferred, consumer));
			returned = true;
		}
		finally {
			// A record that was acknowledged and then rolled back is left to the error
			// handler.
			if (deferred != null && (returned || delivery.isUntouched())) {
				deferred.flush(returned && delivery.isSkipped());
			}
		}
	}

}
