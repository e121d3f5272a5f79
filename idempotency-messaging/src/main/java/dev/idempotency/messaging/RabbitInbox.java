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

import java.io.Serial;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListenerConfigurer;
import org.springframework.amqp.rabbit.batch.BatchingStrategy;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.config.RabbitListenerConfigUtils;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistrar;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.OperationProtection;

/**
 * Protects the annotated listeners of RabbitMQ: wraps the listeners of their containers,
 * so that each message is passed through the {@link Inbox}.
 *
 * @param beans has the registry of Spring AMQP
 * @param protection resolves annotated methods, if there are any
 * @param inbox executes messages
 */
public record RabbitInbox(BeanFactory beans, ObjectProvider<OperationProtection> protection,
		ObjectProvider<Inbox> inbox) implements RabbitListenerConfigurer {

	/**
	 * A message waits until another delivery of it has ended: a container has no other
	 * way of keeping it that its advice and its settings cannot turn into a rejection.
	 * RabbitMQ takes a message back earlier, by its {@code consumer_timeout}.
	 */
	static final Duration UNTIL_ENDED = Duration.ofDays(1);

	/**
	 * Wraps the registry, so that each endpoint is protected when it is registered.
	 */
	@Override
	public void configureRabbitListeners(RabbitListenerEndpointRegistrar registrar) {
		RabbitListenerEndpointRegistry given = registrar.getEndpointRegistry();
		RabbitListenerEndpointRegistry registry = (given != null) ? given
				: this.beans.getBean(RabbitListenerConfigUtils.RABBIT_LISTENER_ENDPOINT_REGISTRY_BEAN_NAME,
						RabbitListenerEndpointRegistry.class);
		registrar.setEndpointRegistry(new RabbitListenerEndpointRegistry() {

			@Override
			public void registerListenerContainer(RabbitListenerEndpoint endpoint,
					RabbitListenerContainerFactory<?> factory, boolean startImmediately) {
				registry.registerListenerContainer(endpoint,
						InboxListener.afterCreation(RabbitListenerContainerFactory.class, factory, (container) -> {
							if (endpoint instanceof MethodRabbitListenerEndpoint listening) {
								protect(listening, container);
							}
						}), startImmediately);
			}

		});
	}

	private void protect(MethodRabbitListenerEndpoint endpoint, Object container) {
		InboxListener
			.find(endpoint.getBean(), methods(endpoint), endpoint.getId(), this.protection, "rabbit", UNTIL_ENDED)
			.ifPresent((listener) -> {
				listener.require(container instanceof AbstractMessageListenerContainer,
						"belongs to a container that is not supported.",
						"Use a SimpleMessageListenerContainer or a DirectMessageListenerContainer.");
				protect(listener, (AbstractMessageListenerContainer) container);
			});
	}

	private void protect(InboxListener listener, AbstractMessageListenerContainer container) {
		listener.require(!container.getAcknowledgeMode().isAutoAck(),
				"belongs to a container with AcknowledgeMode.NONE, whose messages are gone before their transaction "
						+ "has committed.",
				"Use AcknowledgeMode.AUTO.");
		Fragments fragments = new Fragments((BatchingStrategy) Objects
			.requireNonNull(new DirectFieldAccessor(container).getPropertyValue("batchingStrategy")));
		container.setBatchingStrategy(fragments);
		if (container.getMessageListener() instanceof ChannelAwareBatchMessageListener batch) {
			listener.requireBatch(container.getAcknowledgeMode().isManual());
			container.setupMessageListener(new RabbitBatchListener(batch, listener, this.inbox.getObject(), fragments));
		}
		else if (container.getMessageListener() instanceof ChannelAwareMessageListener single) {
			container.setupMessageListener(new Listener(single, listener, this.inbox.getObject(), container));
		}
	}

	private static List<Method> methods(MethodRabbitListenerEndpoint endpoint) {
		Method method = endpoint.getMethod();
		if (method != null) {
			return List.of(method);
		}
		return List.copyOf(MethodIntrospector.selectMethods(
				ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(endpoint.getBean())),
				(Method handler) -> AnnotatedElementUtils.hasAnnotation(handler, RabbitHandler.class)));
	}

	static IncomingMessage read(Message message) {
		MessageProperties properties = message.getMessageProperties();
		Map<String, String> headers = new HashMap<>();
		properties.getHeaders().forEach((name, value) -> put(headers, name, value));
		put(headers, "message-id", properties.getMessageId());
		put(headers, "correlation-id", properties.getCorrelationId());
		put(headers, "type", properties.getType());
		String queue = properties.getConsumerQueue();
		return new IncomingMessage((queue != null) ? queue : "", headers, message.getBody(), null,
				Fragments.place(message));
	}

	private static void put(Map<String, String> headers, String name, @Nullable Object value) {
		if (value instanceof byte[] bytes) {
			headers.put(name, IncomingMessage.text(bytes));
		}
		else if (value != null) {
			headers.put(name, value.toString());
		}
	}

	/**
	 * A listener that gets single messages.
	 */
	private record Listener(ChannelAwareMessageListener delegate, InboxListener listener, Inbox inbox,
			AbstractMessageListenerContainer container) implements ChannelAwareMessageListener {

		@Override
		public void containerAckMode(AcknowledgeMode mode) {
			this.delegate.containerAckMode(mode);
		}

		@Override
		public boolean isAsyncReplies() {
			return this.delegate.isAsyncReplies();
		}

		@Override
		public void onMessage(Message message, @Nullable Channel channel) {
			KeptSettlements kept = (channel != null && this.container.getAcknowledgeMode().isManual())
					? keep(message, channel) : null;
			this.inbox.deliver(this.listener, read(message), kept,
					() -> this.delegate.onMessage(message, (kept != null) ? kept.proxy(Channel.class) : channel));
		}

		/**
		 * A container with manual acknowledgements would not request a message again
		 * whose transaction was rolled back.
		 */
		private static KeptSettlements keep(Message message, Channel channel) {
			return new KeptSettlements(channel, () -> {
				if (!(message instanceof Fragment fragment) || fragment.last) {
					channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
				}
			}, (arguments) -> channel.basicNack((Long) Objects.requireNonNull(arguments[0]),
					Boolean.TRUE.equals(arguments[1]), true));
		}

	}

	/**
	 * Numbers the messages that were sent as one: they have the id of the first.
	 */
	static final class Fragments extends SimpleBatchingStrategy {

		/**
		 * In a header, so that a fragment which is sent to a queue of dead letters, and
		 * back from there, keeps its place.
		 */
		private static final String PLACE = "idempotency-fragment";

		private final BatchingStrategy strategy;

		Fragments(BatchingStrategy strategy) {
			super(0, 0, 0);
			this.strategy = strategy;
		}

		static int place(Message message) {
			return (message.getMessageProperties().getHeader(PLACE) instanceof Integer place) ? place : 0;
		}

		/**
		 * Takes messages apart, if they consist of several.
		 */
		List<Message> of(List<Message> messages) {
			List<Message> fragments = new ArrayList<>();
			for (Message message : messages) {
				if (canDebatch(message.getMessageProperties())) {
					deBatch(message, fragments::add);
				}
				else {
					fragments.add(message);
				}
			}
			return fragments;
		}

		@Override
		public boolean canDebatch(MessageProperties properties) {
			return this.strategy.canDebatch(properties);
		}

		@Override
		public void deBatch(Message message, Consumer<Message> consumer) {
			List<Message> fragments = new ArrayList<>();
			this.strategy.deBatch(message, fragments::add);
			for (int place = 0; place < fragments.size(); place++) {
				Message fragment = copy(fragments.get(place));
				fragment.getMessageProperties().setHeader(PLACE, place);
				consumer.accept(new Fragment(fragment, place == fragments.size() - 1));
			}
		}

	}

	/**
	 * One of the messages that were sent as one, and have one acknowledgement.
	 */
	private static final class Fragment extends Message {

		@Serial
		private static final long serialVersionUID = 1L;

		private final boolean last;

		Fragment(Message message, boolean last) {
			super(message.getBody(), message.getMessageProperties());
			this.last = last;
		}

	}

	/**
	 * Copies a message, which a listener may change.
	 */
	static Message copy(Message message) {
		return MessageBuilder.fromClonedMessage(message).build();
	}

}
