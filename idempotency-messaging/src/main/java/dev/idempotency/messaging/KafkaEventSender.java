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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.NestedRuntimeException;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

import dev.idempotency.outbox.DestinationUnavailableException;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.OutgoingEvent;

/**
 * Sends events to topics of Kafka, as CloudEvents in binary mode (Kafka Protocol Binding
 * for CloudEvents 1.0.2, section 3.2). The record's key is the event's.
 * <p>
 * It has a separate producer, configured like the application's except for the promises
 * of the outbox: every replica in sync acknowledges ({@code acks=all}), what the client
 * repeats is written once and in order ({@code enable.idempotence}), bytes are sent as
 * they are, and nothing blocks for longer than the time-out. It takes no part in
 * transactions of Kafka.
 */
public final class KafkaEventSender implements EventSender, DisposableBean {

	/**
	 * The most that the client adds to keys, values and headers: 61 bytes for a batch, 21
	 * for a record and 5 for each length; and digits by which times differ.
	 */
	private static final int OVERHEAD = 128;

	private static final int HEADER_OVERHEAD = 10;

	private final DefaultKafkaProducerFactory<String, byte[]> producers;

	private final KafkaTemplate<String, byte[]> template;

	private final long maxSize;

	/**
	 * Creates a sender.
	 * @param application the producers of the application
	 * @param timeout the time that the broker has to acknowledge a record
	 */
	public KafkaEventSender(ProducerFactory<?, ?> application, Duration timeout) {
		Map<String, Object> settings = settings(application, (int) timeout.toMillis());
		this.producers = new DefaultKafkaProducerFactory<>(settings);
		this.template = new KafkaTemplate<>(this.producers);
		// By default a failure is logged with the key and the payload.
		this.template.setProducerListener(null);
		AbstractConfig parsed = new AbstractConfig(ProducerConfig.configDef(), settings, false);
		this.maxSize = Math.min(parsed.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
				parsed.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG));
	}

	private static Map<String, Object> settings(ProducerFactory<?, ?> application, int timeout) {
		Map<String, Object> settings = new HashMap<>(application.getConfigurationProperties());
		settings.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
		settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
		settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
		settings.put(ProducerConfig.ACKS_CONFIG, "all");
		settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
		settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
		settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
		settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout);
		// The client requires the total to be at least the sum of its parts.
		settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeout);
		settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, timeout / 2);
		settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
		return settings;
	}

	/**
	 * Refuses an event that the producer would refuse, since it counts without
	 * compression. The limits of the broker and of the topic are not known here.
	 */
	@Override
	public void requireSendable(OutgoingEvent event) {
		long size = OVERHEAD + event.payload().length + ((event.key() != null) ? bytes(event.key()).length : 0);
		for (Map.Entry<String, String> header : headers(event).entrySet()) {
			size += HEADER_OVERHEAD + bytes(header.getKey()).length + bytes(header.getValue()).length;
		}
		if (size > this.maxSize) {
			throw new IllegalArgumentException("The event " + event.type() + " for '" + event.destination()
					+ "' has up to " + size + " bytes as a record of Kafka, and the producer sends up to "
					+ this.maxSize
					+ ". Publish a reference to the content, or raise spring.kafka.producer.properties.max.request.size, "
					+ "and the topic's max.message.bytes with it.");
		}
	}

	@Override
	public CompletableFuture<?> send(OutgoingEvent event) {
		ProducerRecord<String, byte[]> message = new ProducerRecord<>(event.destination(), null, event.key(),
				event.payload());
		headers(event).forEach((name, value) -> message.headers().add(name, bytes(value)));
		try {
			return this.template.send(message)
				.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(reason(event, failure)));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(reason(event, ex));
		}
	}

	private static Map<String, String> headers(OutgoingEvent event) {
		Map<String, String> headers = new LinkedHashMap<>(event.headers());
		headers.put("content-type", event.contentType());
		headers.put("ce_specversion", "1.0");
		headers.put("ce_id", event.id());
		headers.put("ce_source", event.source());
		headers.put("ce_type", event.type());
		headers.put("ce_time", event.time().toString());
		return headers;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Unwraps the exceptions of Spring Kafka, whose causes are exceptions of its client.
	 */
	private static Throwable reason(OutgoingEvent event, Throwable failure) {
		Throwable reason = (failure instanceof NestedRuntimeException && failure.getCause() != null)
				? failure.getCause() : failure;
		return isOfEvent(reason) ? reason : new DestinationUnavailableException(
				"Kafka does not accept events for " + event.destination(), reason);
	}

	/**
	 * Returns whether a failure is about a record: one that the broker or its client does
	 * not accept. Others are about the topic, the broker or the producer, such as the
	 * plain exceptions of a producer that was closed.
	 */
	private static boolean isOfEvent(Throwable failure) {
		return !(failure instanceof RetriableException || failure instanceof AuthenticationException
				|| failure instanceof AuthorizationException || failure instanceof BrokerNotAvailableException
				|| failure instanceof OutOfOrderSequenceException || failure instanceof InterruptException
				|| failure instanceof ConfigException || failure instanceof IllegalStateException
				|| failure.getClass() == KafkaException.class);
	}

	@Override
	public void destroy() {
		this.producers.destroy();
	}

}
