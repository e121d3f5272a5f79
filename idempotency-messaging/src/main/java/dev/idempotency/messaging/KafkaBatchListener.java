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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.SerializationUtils;

import dev.idempotency.engine.RequestBatch.RefusedRequestException;

/**
 * Protects a listener that gets records in batches. One record that fails does not
 * discard the others.
 * <ol>
 * <li>The records are executed in parts, each with a commit: at most as many as one
 * transaction can claim.</li>
 * <li>If a record cannot be read, keyed or claimed, those before it are executed, and the
 * error handler gets its failure.</li>
 * <li>If the listener fails, its part is rolled back. The records are polled again, so
 * that it gets them as they were delivered, and each record of the part is executed
 * alone.</li>
 * <li>The error handler gets the failure of a record that was executed alone.</li>
 * </ol>
 * In a transaction of Kafka all records are executed together or not at all.
 */
final class KafkaBatchListener
		extends AbstractDelegatingMessageListenerAdapter<BatchAcknowledgingConsumerAwareMessageListener<Object, Object>>
		implements BatchAcknowledgingConsumerAwareMessageListener<Object, Object> {

	private static final LogAccessor logger = new LogAccessor(KafkaBatchListener.class);

	private final InboxListener listener;

	private final Inbox inbox;

	private final Function<ConsumerRecord<?, ?>, IncomingMessage> reader;

	private final boolean transactional;

	/**
	 * The last offsets of records that are executed alone.
	 */
	private final Map<TopicPartition, Long> alone = new ConcurrentHashMap<>();

	KafkaBatchListener(BatchAcknowledgingConsumerAwareMessageListener<Object, Object> delegate, InboxListener listener,
			Inbox inbox, Function<ConsumerRecord<?, ?>, IncomingMessage> reader, boolean transactional) {
		super(delegate);
		this.listener = listener;
		this.inbox = inbox;
		this.reader = reader;
		this.transactional = transactional;
	}

	@Override
	public void onMessage(List<ConsumerRecord<Object, Object>> messages, @Nullable Acknowledgment acknowledgment,
			@Nullable Consumer<?, ?> consumer) {
		if (this.transactional) {
			try {
				deliver(messages, consumer, new ArrayList<>());
			}
			catch (RefusedRequestException ex) {
				throw ex.reason();
			}
			return;
		}
		for (int from = 0; from < messages.size();) {
			int to = endOfPart(messages, from);
			execute(messages.subList(from, to), consumer);
			from = to;
		}
	}

	private int endOfPart(List<ConsumerRecord<Object, Object>> messages, int from) {
		int most = Math.min(messages.size(), from + this.inbox.maxBatch());
		int end = from;
		while (end < most && !isAlone(messages.get(end))) {
			end++;
		}
		return Math.max(end, from + 1);
	}

	private boolean isAlone(ConsumerRecord<?, ?> message) {
		return message.offset() <= this.alone.getOrDefault(partition(message), -1L);
	}

	/**
	 * Executes a part.
	 * @throws BatchListenerFailedException with one of the records
	 */
	private void execute(List<ConsumerRecord<Object, Object>> part, @Nullable Consumer<?, ?> consumer) {
		List<ConsumerRecord<Object, Object>> given = new ArrayList<>();
		try {
			deliver(part, consumer, given);
		}
		catch (RefusedRequestException ex) {
			if (ex.index() > 0) {
				// The listener was not called yet.
				execute(part.subList(0, ex.index()), consumer);
			}
			throw failed(ex.reason(), part.get(ex.index()));
		}
		catch (RuntimeException ex) {
			if (given.size() < 2) {
				throw failed(ex, given.isEmpty() ? part.get(0) : given.get(0));
			}
			given.forEach((message) -> this.alone.merge(partition(message), message.offset(), Math::max));
			throw KafkaRedelivery.pollAgain(part.get(0), ex);
		}
	}

	private void deliver(List<ConsumerRecord<Object, Object>> messages, @Nullable Consumer<?, ?> consumer,
			List<ConsumerRecord<Object, Object>> given) {
		this.inbox.deliverAll(this.listener, messages, this::read, (fresh) -> {
			given.addAll(fresh);
			this.delegate.onMessage(fresh, null, consumer);
		});
	}

	/**
	 * Reads a record. One that could not be deserialized has no value, as a tombstone.
	 */
	private IncomingMessage read(ConsumerRecord<?, ?> message) {
		for (String header : List.of(KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER,
				KafkaUtils.KEY_DESERIALIZER_EXCEPTION_HEADER)) {
			DeserializationException failure = SerializationUtils.getExceptionFromHeader(message, header, logger);
			if (failure != null) {
				throw failure;
			}
		}
		return this.reader.apply(message);
	}

	private static TopicPartition partition(ConsumerRecord<?, ?> message) {
		return new TopicPartition(message.topic(), message.partition());
	}

	private static BatchListenerFailedException failed(Exception reason, ConsumerRecord<?, ?> message) {
		return new BatchListenerFailedException(String.valueOf(reason.getMessage()), reason, message);
	}

}
