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

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.annotation.KafkaListenerConfigurer;
import org.springframework.kafka.config.AbstractKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.KafkaListenerEndpointRegistrar;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.config.MultiMethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.FailedRecordProcessor;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import dev.idempotency.aop.OperationProtection;

/**
 * Protects the annotated listeners of Kafka: wraps the listeners of their containers, so
 * that each record is passed through the {@link Inbox}.
 *
 * @param beans has the registry of Spring Kafka
 * @param protection resolves annotated methods, if there are any
 * @param inbox executes messages
 * @param maxWait the time that a record waits while another delivery of it is running,
 * before it is polled again
 * @param offsetKeys whether the position in the log may be the key
 */
public record KafkaInbox(BeanFactory beans, ObjectProvider<OperationProtection> protection, ObjectProvider<Inbox> inbox,
		Duration maxWait, boolean offsetKeys) implements KafkaListenerConfigurer {

	/**
	 * The headers with the original position of a record that was forwarded.
	 */
	private static final List<List<String>> ORIGINS = List.of(
			List.of(KafkaHeaders.DLT_ORIGINAL_TOPIC, KafkaHeaders.DLT_ORIGINAL_PARTITION,
					KafkaHeaders.DLT_ORIGINAL_OFFSET),
			List.of(KafkaHeaders.ORIGINAL_TOPIC, KafkaHeaders.ORIGINAL_PARTITION, KafkaHeaders.ORIGINAL_OFFSET));

	/**
	 * Wraps the registry, so that each endpoint is protected when it is registered.
	 */
	@Override
	public void configureKafkaListeners(KafkaListenerEndpointRegistrar registrar) {
		KafkaListenerEndpointRegistry given = registrar.getEndpointRegistry();
		KafkaListenerEndpointRegistry registry = (given != null) ? given
				: this.beans.getBean(KafkaListenerConfigUtils.KAFKA_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
						KafkaListenerEndpointRegistry.class);
		registrar.setEndpointRegistry(new KafkaListenerEndpointRegistry() {

			@Override
			public void registerListenerContainer(KafkaListenerEndpoint endpoint,
					KafkaListenerContainerFactory<?> factory, boolean startImmediately) {
				registry.registerListenerContainer(endpoint,
						InboxListener.afterCreation(KafkaListenerContainerFactory.class, factory, (container) -> {
							if (endpoint instanceof MethodKafkaListenerEndpoint<?, ?> listening) {
								protect(listening, (MessageListenerContainer) container, factory, registry);
							}
						}), startImmediately);
			}

			@Override
			public @Nullable MessageListenerContainer getListenerContainer(String id) {
				return registry.getListenerContainer(id);
			}

		});
	}

	private void protect(MethodKafkaListenerEndpoint<?, ?> endpoint, MessageListenerContainer container,
			KafkaListenerContainerFactory<?> factory, KafkaListenerEndpointRegistry registry) {
		String group = container.getGroupId();
		InboxListener own = InboxListener
			.find(endpoint.getBean(), methods(endpoint), container.getListenerId(), this.protection,
					InboxListener.place("kafka", (group != null) ? group : ""), this.maxWait)
			.orElse(null);
		if (own == null) {
			return;
		}
		require(own, container, factory);
		InboxListener main = main(endpoint.getMainListenerId(), own, registry);
		protect(container, (main != null) ? main : own, (message) -> read(message, main != null, this.offsetKeys));
		KafkaRedelivery.redeliver((AbstractMessageListenerContainer<?, ?>) container);
	}

	/**
	 * Finds the main listener of a retry topic, whose container has a separate group and
	 * id, and is registered after the main container. The container of a dead-letter
	 * topic has another method as well, and is another listener.
	 */
	private static @Nullable InboxListener main(@Nullable String id, InboxListener own,
			KafkaListenerEndpointRegistry registry) {
		MessageListenerContainer main = (id != null) ? registry.getListenerContainer(id) : null;
		return (main != null && main.getContainerProperties().getMessageListener() instanceof Listener protecting
				&& protecting.listener.operations().equals(own.operations())) ? protecting.listener : null;
	}

	@SuppressWarnings("unchecked")
	private void protect(MessageListenerContainer container, InboxListener listener,
			Function<ConsumerRecord<?, ?>, IncomingMessage> reader) {
		ContainerProperties properties = container.getContainerProperties();
		Object delegate = Objects.requireNonNull(properties.getMessageListener());
		if (delegate instanceof BatchAcknowledgingConsumerAwareMessageListener<?, ?> batch) {
			listener
				.requireBatch(EnumSet.of(AckMode.MANUAL, AckMode.MANUAL_IMMEDIATE).contains(properties.getAckMode()));
			container.setupMessageListener(new KafkaBatchListener(
					(BatchAcknowledgingConsumerAwareMessageListener<Object, Object>) batch, listener,
					this.inbox.getObject(), reader, properties.getKafkaAwareTransactionManager() != null));
		}
		else {
			container
				.setupMessageListener(new Listener((AcknowledgingConsumerAwareMessageListener<Object, Object>) delegate,
						listener, this.inbox.getObject(), reader));
		}
	}

	/**
	 * Refuses a container that commits an offset before the transaction of its record, or
	 * that calls its listener again with the same objects.
	 */
	private static void require(InboxListener listener, MessageListenerContainer container,
			KafkaListenerContainerFactory<?> factory) {
		listener.require(container instanceof AbstractMessageListenerContainer,
				"belongs to a container that is not supported.",
				"Let it consume records of a consumer group, one by one or in batches.");
		ContainerProperties properties = container.getContainerProperties();
		listener.require(!isAutoCommitted(properties, factory),
				"has a consumer with enable.auto.commit, whose offsets do not wait for the transaction of a record.",
				"Remove spring.kafka.consumer.enable-auto-commit: the container commits the offsets.");
		listener.require(
				!(((AbstractMessageListenerContainer<?, ?>) container)
					.getCommonErrorHandler() instanceof FailedRecordProcessor handler
						&& handler instanceof CommonErrorHandler common && !common.seeksAfterHandling()),
				"has an error handler with seekAfterError=false, which calls it again with the object that the first "
						+ "call may have changed.",
				"Remove setSeekAfterError(false): the record is then polled, and read, again.");
		boolean batch = properties.getMessageListener() instanceof BatchAcknowledgingConsumerAwareMessageListener;
		boolean transaction = properties.getAdviceChain() != null
				&& Stream.of(properties.getAdviceChain()).anyMatch(TransactionAspectSupport.class::isInstance);
		listener.require(!batch || !transaction,
				"gets batches, and its container has an advice that begins a transaction, in which the records that "
						+ "succeed could not be committed without those that fail.",
				"Remove the advice: the records of a batch have their own transaction.");
	}

	/**
	 * Without a value the container sets it to {@code false}.
	 */
	private static boolean isAutoCommitted(ContainerProperties properties, KafkaListenerContainerFactory<?> factory) {
		Object value = properties.getKafkaConsumerProperties().get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
		if (value == null && factory instanceof AbstractKafkaListenerContainerFactory<?, ?, ?> known) {
			ConsumerFactory<?, ?> consumers = known.getConsumerFactory();
			value = (consumers != null)
					? consumers.getConfigurationProperties().get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG) : null;
		}
		return Boolean.parseBoolean(String.valueOf(value));
	}

	private static List<Method> methods(MethodKafkaListenerEndpoint<?, ?> endpoint) {
		return (endpoint instanceof MultiMethodKafkaListenerEndpoint<?, ?> multi) ? multi.getMethods()
				: List.of(endpoint.getMethod());
	}

	/**
	 * Reads a record. One on a retry topic still belongs to its main topic.
	 */
	static IncomingMessage read(ConsumerRecord<?, ?> message, boolean retried, boolean positions) {
		Map<String, String> headers = new HashMap<>();
		for (Header header : message.headers()) {
			if (header.value() != null) {
				headers.put(header.key(), IncomingMessage.text(header.value()));
			}
		}
		byte[] main = retried ? first(message, KafkaHeaders.ORIGINAL_TOPIC) : null;
		return new IncomingMessage((main != null) ? new String(main, StandardCharsets.UTF_8) : message.topic(), headers,
				message.value(), positions ? position(message) : null, 0);
	}

	/**
	 * A record that was forwarded to a retry or a dead-letter topic, or back from there,
	 * has its original position in its headers.
	 */
	private static String position(ConsumerRecord<?, ?> message) {
		for (List<String> origin : ORIGINS) {
			List<byte @Nullable []> parts = origin.stream().map((name) -> first(message, name)).toList();
			if (!parts.contains(null)) {
				return position(parts);
			}
		}
		return position(List.of(message.topic().getBytes(StandardCharsets.UTF_8),
				ByteBuffer.allocate(Integer.BYTES).putInt(message.partition()).array(),
				ByteBuffer.allocate(Long.BYTES).putLong(message.offset()).array()));
	}

	private static String position(List<byte @Nullable []> parts) {
		return parts.stream().map(HexFormat.of()::formatHex).collect(Collectors.joining("-"));
	}

	/**
	 * A header is added each time that a record is forwarded.
	 */
	private static byte @Nullable [] first(ConsumerRecord<?, ?> message, String name) {
		for (Header header : message.headers().headers(name)) {
			return header.value();
		}
		return null;
	}

	/**
	 * A listener that gets single records. What it acknowledges in a transaction that is
	 * rolled back is left to the error handler.
	 */
	private static final class Listener
			extends AbstractDelegatingMessageListenerAdapter<AcknowledgingConsumerAwareMessageListener<Object, Object>>
			implements AcknowledgingConsumerAwareMessageListener<Object, Object> {

		private final InboxListener listener;

		private final Inbox inbox;

		private final Function<ConsumerRecord<?, ?>, IncomingMessage> reader;

		Listener(AcknowledgingConsumerAwareMessageListener<Object, Object> delegate, InboxListener listener,
				Inbox inbox, Function<ConsumerRecord<?, ?>, IncomingMessage> reader) {
			super(delegate);
			this.listener = listener;
			this.inbox = inbox;
			this.reader = reader;
		}

		@Override
		public void onMessage(ConsumerRecord<Object, Object> message, @Nullable Acknowledgment acknowledgment,
				@Nullable Consumer<?, ?> consumer) {
			KeptSettlements kept = (acknowledgment != null)
					? new KeptSettlements(acknowledgment, acknowledgment::acknowledge, (arguments) -> {
					}) : null;
			this.inbox.deliver(this.listener, this.reader.apply(message), kept, () -> this.delegate.onMessage(message,
					(kept != null) ? kept.proxy(Acknowledgment.class) : null, consumer));
		}

	}

}
