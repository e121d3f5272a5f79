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

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.RabbitEventSender.MessageRefusedException;
import dev.idempotency.messaging.RabbitEventSender.MessageReturnedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The meaning of a broker's answers.
 */
class RabbitEventSenderTests {

	private final CorrelationData correlation = new CorrelationData("id");

	@Test
	void aConfirmedMessageHasArrived() {
		assertThat(RabbitEventSender.answer(new Confirm(true, null), this.correlation)).isCompleted();
	}

	/**
	 * As RabbitMQ answers to a message for no queue.
	 */
	@Test
	void aMessageThatIsReturnedAndConfirmedHasNotArrived() {
		this.correlation.setReturned(new ReturnedMessage(new Message(new byte[0]), 312, "NO_ROUTE", "", "queue"));
		assertThat(RabbitEventSender.answer(new Confirm(true, null), this.correlation)).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(MessageReturnedException.class)
			.withMessageContaining("NO_ROUTE");
	}

	@Test
	void aNegativeConfirmationMeansThatItHasNotArrived() {
		assertThat(RabbitEventSender.answer(new Confirm(false, "overflow"), this.correlation))
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(MessageRefusedException.class)
			.withMessageContaining("overflow");
	}

	@Test
	void connectionsWithoutConfirmationsAreRefused() {
		CachingConnectionFactory connections = new CachingConnectionFactory("localhost");
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> new RabbitEventSender(connections))
			.withMessageContaining("spring.rabbitmq.publisher-confirm-type=correlated")
			.withMessageContaining("spring.rabbitmq.publisher-returns=true");
		connections.setPublisherConfirmType(ConfirmType.CORRELATED);
		connections.setPublisherReturns(true);
		assertThatNoException().isThrownBy(() -> new RabbitEventSender(connections));
		connections.destroy();
	}

}
