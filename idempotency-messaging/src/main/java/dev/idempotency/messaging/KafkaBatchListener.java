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
import java.util.function.Function;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

import dev.idempotency.engine.CallBatch.RefusedCallException;

/**
 * Protects a listener that receives records in batches.
 * <p>
 * A {@link BatchListenerFailedException} says which record failed, and thereby that those
 * before it did not: the container commits their offsets. Their effects were rolled back
 * with the others, so the listener is called with them again, without those that follow,
 * and only then is the container notified.
 */
final class KafkaBatchListener<K, V>
		extends AbstractDelegatingMessageListenerAdapter<BatchAcknowledgingConsumerAwareMessageListener<K, V>>
		implements BatchAcknowledgingConsumerAwareMessageListener<K, V> {

	private final CurrentDelivery current;

	private final Function<List<ConsumerRecord<K, V>>, BatchDelivery> deliveries;

	KafkaBatchListener(BatchAcknowledgingConsumerAwareMessageListener<K, V> delegate, CurrentDelivery current,
			Function<List<ConsumerRecord<K, V>>, BatchDelivery> deliveries) {
		super(delegate);
		this.current = current;
		this.deliveries = deliveries;
	}

	@Override
	public void onMessage(List<ConsumerRecord<K, V>> messages, @Nullable Acknowledgment acknowledgment,
			@Nullable Consumer<?, ?> consumer) {
		Acknowledgment forwarded = acknowledgment;
		BatchListenerFailedException failure = null;
		List<ConsumerRecord<K, V>> rest = messages;
		while (!rest.isEmpty()) {
			try {
				deliver(rest, forwarded, consumer);
				break;
			}
			catch (BatchListenerFailedException ex) {
				failure = ex;
				rest = rest.subList(0, rest.indexOf(ex.getRecord()));
				// The error handler commits the offsets of those before the failed one.
				forwarded = (acknowledgment != null) ? () -> {
				} : null;
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * Delivers records.
	 * @throws BatchListenerFailedException with one of the records
	 */
	private void deliver(List<ConsumerRecord<K, V>> messages, @Nullable Acknowledgment acknowledgment,
			@Nullable Consumer<?, ?> consumer) {
		BatchDelivery delivery = claim(messages);
		DeferredAcknowledgment deferred = (acknowledgment != null)
				? new DeferredAcknowledgment(acknowledgment, delivery::place) : null;
		List<ConsumerRecord<K, V>> fresh = delivery.fresh(messages);
		try {
			if (!fresh.isEmpty()) {
				delivery.refusedBy(deferred);
				this.current.deliver(delivery, () -> this.delegate.onMessage(fresh, deferred, consumer));
			}
		}
		catch (RuntimeException ex) {
			throw translate(ex, fresh);
		}
		finally {
			delivery.close();
		}
		if (deferred != null) {
			deferred.flush(fresh.isEmpty());
		}
	}

	private BatchDelivery claim(List<ConsumerRecord<K, V>> messages) {
		try {
			return this.deliveries.apply(messages);
		}
		catch (RefusedCallException ex) {
			throw new BatchListenerFailedException(String.valueOf(ex.reason().getMessage()), ex.reason(),
					messages.get(ex.index()));
		}
	}

	/**
	 * An index refers to the list that was passed to the listener, which the container
	 * does not know.
	 */
	private static <K, V> RuntimeException translate(RuntimeException thrown, List<ConsumerRecord<K, V>> fresh) {
		for (Throwable ex = thrown; ex != null; ex = ex.getCause()) {
			if (ex instanceof BatchListenerFailedException failed) {
				ConsumerRecord<?, ?> named = find(failed, fresh);
				return (named != null)
						? new BatchListenerFailedException(String.valueOf(failed.getMessage()),
								(failed.getCause() != null) ? failed.getCause() : failed, named)
						: new IllegalStateException("The listener reported a failed record that it was not given",
								failed.getCause());
			}
		}
		return thrown;
	}

	private static <K, V> @Nullable ConsumerRecord<K, V> find(BatchListenerFailedException failed,
			List<ConsumerRecord<K, V>> fresh) {
		ConsumerRecord<?, ?> named = failed.getRecord();
		if (named == null) {
			int index = failed.getIndex();
			return (index >= 0 && index < fresh.size()) ? fresh.get(index) : null;
		}
		return fresh.stream()
			.filter((message) -> message.topic().equals(named.topic()) && message.partition() == named.partition()
					&& message.offset() == named.offset())
			.findFirst()
			.orElse(null);
	}

}
