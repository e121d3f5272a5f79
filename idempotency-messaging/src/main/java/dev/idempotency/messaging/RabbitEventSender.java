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

import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitUtils;

import dev.idempotency.outbox.DestinationUnavailableException;
import dev.idempotency.outbox.EventRefusedException;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.OutgoingEvent;

/**
 * Sends events to RabbitMQ: to a queue, or to an exchange with a routing key. Messages
 * are persistent and carry the event's id as {@code message-id}. An event has arrived
 * when the broker confirms it and has not returned it as unroutable.
 * <p>
 * Each event in flight has a separate channel. A broker that refuses a message may close
 * its channel, without naming the message: a closed channel is the failure of its event,
 * and a closed connection a failure of none.
 */
public final class RabbitEventSender implements EventSender {

	/**
	 * Greatest number of events in flight, far below the channels that brokers allow.
	 */
	private static final int IN_FLIGHT = 64;

	private static final int PERSISTENT = 2;

	private final Semaphore inFlight = new Semaphore(IN_FLIGHT);

	private final ConnectionFactory connections;

	private final Duration timeout;

	private @Nullable Session session;

	/**
	 * Creates a sender.
	 * @param connections the connections of the application
	 * @param timeout the time that the broker has to confirm an event
	 */
	public RabbitEventSender(ConnectionFactory connections, Duration timeout) {
		this.connections = connections;
		this.timeout = timeout;
	}

	@Override
	public CompletableFuture<?> send(OutgoingEvent event) {
		CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
		try {
			if (!this.inFlight.tryAcquire(this.timeout.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IOException("The broker has not confirmed any of " + IN_FLIGHT + " messages");
			}
			answer.whenComplete((result, failure) -> this.inFlight.release());
			session().take().publish(event, answer);
		}
		catch (Exception ex) {
			if (ex instanceof InterruptedException) {
				Thread.currentThread().interrupt();
			}
			answer.completeExceptionally(new DestinationUnavailableException(
					"RabbitMQ does not accept events for " + event.destination(), ex));
		}
		return answer;
	}

	private Session session() {
		Session current = this.session;
		if (current == null || !current.delegate.isOpen()) {
			if (current != null) {
				RabbitUtils.closeConnection(current.connection);
			}
			current = new Session(connect());
			this.session = current;
		}
		return current;
	}

	/**
	 * A broker that is short of memory blocks publishers; consumers have to continue.
	 */
	private Connection connect() {
		ConnectionFactory publishers = this.connections.getPublisherConnectionFactory();
		return ((publishers != null) ? publishers : this.connections).createConnection();
	}

	/**
	 * A connection and its channels.
	 */
	private final class Session {

		private final Queue<EventChannel> idle = new ConcurrentLinkedQueue<>();

		private final Connection connection;

		private final com.rabbitmq.client.Connection delegate;

		private volatile @Nullable String blocked;

		Session(Connection connection) {
			this.connection = connection;
			this.delegate = connection.getDelegate();
			this.delegate.addBlockedListener((reason) -> this.blocked = reason, () -> this.blocked = null);
		}

		/**
		 * Returns a channel without an event in flight.
		 */
		EventChannel take() throws IOException {
			if (this.blocked != null) {
				throw new IOException("The broker has blocked the connection: " + this.blocked);
			}
			for (EventChannel next = this.idle.poll(); next != null; next = this.idle.poll()) {
				if (next.channel.isOpen()) {
					return next;
				}
				RabbitUtils.closeChannel(next.channel);
			}
			return new EventChannel(this, this.delegate.openChannel()
				.orElseThrow(() -> new IOException("The connection has no channel left")));
		}

	}

	/**
	 * A channel with at most one event in flight, to which each response on it belongs.
	 * It is idle again after any response, and replaced when it is taken if it was
	 * closed.
	 */
	private final class EventChannel {

		private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> event = new AtomicReference<>();

		private final Session session;

		private final Channel channel;

		private volatile @Nullable String returned;

		EventChannel(Session session, Channel channel) throws IOException {
			this.session = session;
			this.channel = channel;
			try {
				channel.addReturnListener((message) -> this.returned = message.getReplyText());
				channel.addConfirmListener((tag, multiple) -> settle(failureOfConfirmed()),
						(tag, multiple) -> settle(new EventRefusedException("RabbitMQ refuses the message", null)));
				channel.addShutdownListener((cause) -> settle(failureOfClosed(cause)));
				channel.confirmSelect();
			}
			catch (IOException | RuntimeException ex) {
				RabbitUtils.closeChannel(channel);
				throw ex;
			}
		}

		void publish(OutgoingEvent outgoing, CompletableFuture<@Nullable Void> answer) {
			answer.whenComplete((result, failure) -> {
				if (answer.isCancelled()) {
					giveUp();
				}
			});
			this.returned = null;
			this.event.set(answer);
			int slash = outgoing.destination().indexOf('/');
			String exchange = outgoing.destination().substring(0, Math.max(slash, 0));
			String routingKey = outgoing.destination().substring(slash + 1);
			try {
				this.channel.basicPublish(exchange, routingKey, true, properties(outgoing), outgoing.payload());
			}
			catch (IOException | ShutdownSignalException ex) {
				settle(new DestinationUnavailableException("The connection to RabbitMQ was lost", ex));
			}
			catch (RuntimeException ex) {
				// Nothing was sent, but the client has counted the message.
				settle(new EventRefusedException("The client of RabbitMQ does not send the message", ex));
				RabbitUtils.closeChannel(this.channel);
			}
		}

		private @Nullable RuntimeException failureOfConfirmed() {
			return (this.returned != null)
					? new EventRefusedException("RabbitMQ returns the message: " + this.returned, null) : null;
		}

		private static RuntimeException failureOfClosed(ShutdownSignalException cause) {
			return (cause.getReason() instanceof AMQP.Channel.Close close)
					? new EventRefusedException("RabbitMQ closes the channel of the message: " + close.getReplyCode(),
							null)
					: new DestinationUnavailableException("The connection to RabbitMQ was lost", cause);
		}

		private void settle(@Nullable RuntimeException failure) {
			CompletableFuture<@Nullable Void> answer = this.event.getAndSet(null);
			if (answer != null) {
				this.session.idle.add(this);
				if (failure == null) {
					answer.complete(null);
				}
				else {
					answer.completeExceptionally(failure);
				}
			}
		}

		/**
		 * Closes a channel whose event is no longer waited for. On a blocked connection
		 * that would wait for the broker; the event is confirmed when it is unblocked.
		 */
		private void giveUp() {
			if (this.session.blocked == null) {
				RabbitUtils.closeChannel(this.channel);
			}
		}

	}

	private static AMQP.BasicProperties properties(OutgoingEvent event) {
		Map<String, Object> headers = new HashMap<>(event.headers());
		return new AMQP.BasicProperties.Builder().headers(headers)
			.messageId(event.id())
			.type(event.type())
			.appId(event.source())
			.timestamp(Date.from(event.time()))
			.contentType(event.contentType())
			.deliveryMode(PERSISTENT)
			.build();
	}

}
