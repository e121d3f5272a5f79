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
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ReturnCallback;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.UnblockedCallback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

import dev.idempotency.outbox.DestinationUnavailableException;
import dev.idempotency.outbox.EventRefusedException;
import dev.idempotency.outbox.OutgoingEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * The meaning of what RabbitMQ and its client do. The broker of other tests returns and
 * refuses in another way than RabbitMQ does, and does not block connections.
 */
class RabbitEventSenderTests {

	private static final OutgoingEvent EVENT = new OutgoingEvent("id", "exchange/key", null, "type", "app",
			Instant.EPOCH, "application/json", Map.of(), new byte[0]);

	private final ConnectionFactory connections = mock(ConnectionFactory.class);

	private final com.rabbitmq.client.Connection delegate = mock(com.rabbitmq.client.Connection.class);

	private final Channel channel = mock(Channel.class);

	private final RabbitEventSender sender = new RabbitEventSender(this.connections, Duration.ofMillis(100));

	@BeforeEach
	void connect() throws IOException {
		Connection connection = mock(Connection.class);
		given(connection.getDelegate()).willReturn(this.delegate);
		given(this.connections.createConnection()).willReturn(connection);
		given(this.delegate.isOpen()).willReturn(true);
		given(this.delegate.openChannel()).willReturn(Optional.of(this.channel));
		given(this.channel.isOpen()).willReturn(true);
	}

	private void confirm(boolean ack) throws IOException {
		ArgumentCaptor<ConfirmCallback> acks = ArgumentCaptor.forClass(ConfirmCallback.class);
		ArgumentCaptor<ConfirmCallback> nacks = ArgumentCaptor.forClass(ConfirmCallback.class);
		verify(this.channel, atLeastOnce()).addConfirmListener(acks.capture(), nacks.capture());
		(ack ? acks : nacks).getValue().handle(1, false);
	}

	private void returnMessage() {
		ArgumentCaptor<ReturnCallback> returns = ArgumentCaptor.forClass(ReturnCallback.class);
		verify(this.channel).addReturnListener(returns.capture());
		returns.getValue().handle(new Return(312, "NO_ROUTE", "", "", new AMQP.BasicProperties(), new byte[0]));
	}

	private void shutDown(ShutdownSignalException cause) {
		ArgumentCaptor<ShutdownListener> listeners = ArgumentCaptor.forClass(ShutdownListener.class);
		verify(this.channel).addShutdownListener(listeners.capture());
		listeners.getValue().shutdownCompleted(cause);
	}

	private static void assertFailed(CompletableFuture<?> answer, Class<? extends Exception> type, String message) {
		assertThat(answer).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(type)
			.withMessageContaining(message);
	}

	@Test
	void aConfirmedMessageHasArrivedAndItsChannelIsUsedAgain() throws IOException {
		CompletableFuture<?> answer = this.sender.send(EVENT);
		assertThat(answer).isNotDone();
		confirm(true);
		assertThat(answer).isCompleted();
		this.sender.send(EVENT);
		verify(this.delegate, times(1)).openChannel();
	}

	@Test
	void eachMessageInFlightHasASeparateChannel() throws IOException {
		this.sender.send(EVENT);
		this.sender.send(EVENT);
		verify(this.delegate, times(2)).openChannel();
	}

	/**
	 * As RabbitMQ answers to a message for no queue.
	 */
	@Test
	@Tag("M2")
	void aMessageThatIsReturnedAndConfirmedIsRefused() throws IOException {
		CompletableFuture<?> answer = this.sender.send(EVENT);
		returnMessage();
		confirm(true);
		assertFailed(answer, EventRefusedException.class, "NO_ROUTE");
		CompletableFuture<?> next = this.sender.send(EVENT);
		confirm(true);
		assertThat(next).isCompleted();
	}

	@Test
	void aNegativeConfirmationMeansThatTheMessageIsRefused() throws IOException {
		CompletableFuture<?> answer = this.sender.send(EVENT);
		confirm(false);
		assertFailed(answer, EventRefusedException.class, "RabbitMQ refuses the message");
	}

	@Test
	@Tag("M2")
	void aClosedChannelIsTheFailureOfItsMessage() {
		CompletableFuture<?> answer = this.sender.send(EVENT);
		shutDown(new ShutdownSignalException(false, false,
				new AMQP.Channel.Close.Builder().replyCode(404).replyText("NOT_FOUND").build(), null));
		assertFailed(answer, EventRefusedException.class, "404");
	}

	@Test
	@Tag("M2")
	void aClosedConnectionIsTheFailureOfNoMessage() {
		CompletableFuture<?> answer = this.sender.send(EVENT);
		shutDown(new ShutdownSignalException(true, false,
				new AMQP.Connection.Close.Builder().replyCode(320).replyText("CONNECTION_FORCED").build(), null));
		assertFailed(answer, DestinationUnavailableException.class, "The connection to RabbitMQ was lost");
	}

	@Test
	@Tag("M2")
	void aMessageThatTheClientDoesNotSendIsRefusedAndItsChannelClosed() throws Exception {
		willThrow(new IllegalArgumentException("Content headers exceeded max frame size")).given(this.channel)
			.basicPublish(anyString(), anyString(), anyBoolean(), any(), any());
		assertFailed(this.sender.send(EVENT), EventRefusedException.class, "does not send the message");
		verify(this.channel).close();
	}

	@Test
	void aMessageThatCannotBeWrittenIsNotRefused() throws Exception {
		willThrow(new IOException("Broken pipe")).given(this.channel)
			.basicPublish(anyString(), anyString(), anyBoolean(), any(), any());
		assertFailed(this.sender.send(EVENT), DestinationUnavailableException.class, "was lost");
	}

	@Test
	void aBrokerThatIsNotThereRefusesNoMessage() {
		given(this.connections.createConnection()).willThrow(new AmqpConnectException(new IOException("refused")));
		assertFailed(this.sender.send(EVENT), DestinationUnavailableException.class, "exchange/key");
	}

	@Test
	void aConnectionWithoutAnotherChannelRefusesNoMessage() throws IOException {
		willReturn(Optional.empty()).given(this.delegate).openChannel();
		assertFailed(this.sender.send(EVENT), DestinationUnavailableException.class, "exchange/key");
	}

	@Test
	@Tag("M2")
	void aMessageThatNobodyWaitsForLeavesNoChannelBehind() throws Exception {
		this.sender.send(EVENT).cancel(true);
		verify(this.channel).close();
	}

	/**
	 * To close a channel on it would wait for the broker.
	 */
	@Test
	@Tag("M9")
	void nothingIsSentOrClosedOnABlockedConnection() throws Exception {
		CompletableFuture<?> unanswered = this.sender.send(EVENT);
		ArgumentCaptor<BlockedCallback> blocked = ArgumentCaptor.forClass(BlockedCallback.class);
		ArgumentCaptor<UnblockedCallback> unblocked = ArgumentCaptor.forClass(UnblockedCallback.class);
		verify(this.delegate).addBlockedListener(blocked.capture(), unblocked.capture());
		blocked.getValue().handle("low on memory");
		unanswered.cancel(true);
		verify(this.channel, never()).close();
		assertFailed(this.sender.send(EVENT), DestinationUnavailableException.class, "exchange/key");
		unblocked.getValue().handle();
		confirm(true);
		this.sender.send(EVENT);
		verify(this.delegate, times(1)).openChannel();
	}

	@Test
	@Tag("M2")
	void noMoreThanSomeMessagesAreInFlight() throws IOException {
		for (int i = 0; i < 64; i++) {
			assertThat(this.sender.send(EVENT)).isNotDone();
		}
		assertFailed(this.sender.send(EVENT), DestinationUnavailableException.class, "exchange/key");
		confirm(true);
		assertThat(this.sender.send(EVENT)).isNotDone();
	}

}
