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

import java.util.Date;
import java.util.concurrent.CompletableFuture;

import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.outbox.DestinationUnavailableException;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.OutgoingEvent;

/**
 * Sends events to RabbitMQ: to a queue, or to an exchange with a routing key. Messages
 * are persistent and carry the event's id as {@code message-id}. An event has arrived
 * when the broker confirms it and has not returned it as unroutable.
 */
public final class RabbitEventSender implements EventSender {

	private final RabbitTemplate template;

	/**
	 * Creates a sender.
	 * @param connections the connections of the application
	 * @throws InvalidIdempotentException if the broker is not asked to confirm
	 */
	public RabbitEventSender(ConnectionFactory connections) {
		if (!connections.isPublisherConfirms() || !connections.isPublisherReturns()) {
			throw new InvalidIdempotentException(
					"The outbox sends to RabbitMQ over a connection without confirmations of the broker, so that "
							+ "events could be lost.",
					"Set spring.rabbitmq.publisher-confirm-type=correlated and spring.rabbitmq.publisher-returns=true.");
		}
		this.template = new RabbitTemplate(connections);
		this.template.setMandatory(true);
		// A broker that is short of memory blocks publishers; consumers have to continue.
		this.template.setUsePublisherConnection(true);
	}

	@Override
	public CompletableFuture<?> send(OutgoingEvent event) {
		int slash = event.destination().indexOf('/');
		String exchange = event.destination().substring(0, Math.max(slash, 0));
		String routingKey = event.destination().substring(slash + 1);
		CorrelationData correlation = new CorrelationData(event.id());
		try {
			this.template.send(exchange, routingKey, message(event), correlation);
		}
		catch (AmqpException ex) {
			return CompletableFuture.failedFuture(new DestinationUnavailableException(
					"RabbitMQ does not accept events for " + event.destination(), ex));
		}
		return correlation.getFuture().thenCompose((confirm) -> answer(confirm, correlation));
	}

	static CompletableFuture<Confirm> answer(Confirm confirm, CorrelationData correlation) {
		ReturnedMessage returned = correlation.getReturned();
		if (returned != null) {
			return CompletableFuture
				.failedFuture(new MessageReturnedException("No queue accepts the message: " + returned.getReplyText()));
		}
		return confirm.ack() ? CompletableFuture.completedFuture(confirm) : CompletableFuture
			.failedFuture(new MessageRefusedException("The broker did not confirm the message: " + confirm.reason()));
	}

	private static Message message(OutgoingEvent event) {
		MessageProperties properties = new MessageProperties();
		event.headers().forEach(properties::setHeader);
		properties.setMessageId(event.id());
		properties.setType(event.type());
		properties.setAppId(event.source());
		properties.setTimestamp(Date.from(event.time()));
		properties.setContentType(event.contentType());
		return new Message(event.payload(), properties);
	}

	/**
	 * The broker has no queue for a message.
	 */
	static final class MessageReturnedException extends RuntimeException {

		MessageReturnedException(String message) {
			super(message);
		}

	}

	/**
	 * The broker has refused a message, or the channel was lost before the broker
	 * accepted it.
	 */
	static final class MessageRefusedException extends RuntimeException {

		MessageRefusedException(String message) {
			super(message);
		}

	}

}
