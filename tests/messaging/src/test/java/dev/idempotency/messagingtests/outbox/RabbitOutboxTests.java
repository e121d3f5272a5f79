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
package dev.idempotency.messagingtests.outbox;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.outbox.Outbox.FailingEvent;
import dev.idempotency.outbox.OutboxMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The outbox on a broker for AMQP 0-9-1.
 */
class RabbitOutboxTests {

	private static OutboxNode node;

	/**
	 * On a separate connection: the broker closes channels of the node's on purpose.
	 */
	private static CachingConnectionFactory connections;

	private static RabbitAdmin admin;

	private String queue = "";

	@BeforeAll
	static void start() {
		// No broker is down here. On a machine that is busy, two seconds for its answer
		// would
		// be over before it comes, and the event be sent once more.
		node = OutboxNode.onRabbit(OutboxNode.database(), "idempotency.outbox.send-timeout=30s");
		connections = new CachingConnectionFactory("localhost", TestRabbit.port());
		admin = new RabbitAdmin(new RabbitTemplate(connections));
	}

	@AfterAll
	static void stop() {
		connections.destroy();
		node.close();
	}

	@BeforeEach
	void chooseQueue() {
		this.queue = TestRabbit.queueName();
	}

	private static Message receive(String queue) {
		Message message = admin.getRabbitTemplate().receive(queue, 30_000);
		assertThat(message).as("message of %s", queue).isNotNull();
		return message;
	}

	/**
	 * The first message after another one, which may come more than once.
	 */
	private static Message receiveAfter(String earlier, String queue) {
		Message message = receive(queue);
		while (earlier.equals(message.getMessageProperties().getMessageId())) {
			message = receive(queue);
		}
		return message;
	}

	/**
	 * The events of a destination that the broker refuses: other tests have theirs.
	 */
	private static List<FailingEvent> failing(String destination) {
		return node.outbox().failing().stream().filter((event) -> event.destination().equals(destination)).toList();
	}

	private static void awaitRelayed(String destination) {
		await().until(() -> node.jdbc()
			.queryForObject("select count(*) from idempotency_outbox where destination = ?", Long.class,
					destination) == 0);
	}

	private static String body(String queue) {
		return new String(receive(queue).getBody());
	}

	@Test
	void anEventIsAPersistentMessageWithTheIdOfTheEvent() {
		admin.declareQueue(new Queue(this.queue));
		String id = node.commit(() -> node.outbox()
			.publish(OutboxMessage.to(this.queue, Map.of("fare", 7))
				.withType("fare-changed")
				.withHeader("region", "eu")));
		Message message = receive(this.queue);
		assertThat(message.getMessageProperties().getMessageId()).isEqualTo(id);
		assertThat(message.getMessageProperties().getType()).isEqualTo("fare-changed");
		assertThat(message.getMessageProperties().getAppId()).isEqualTo("outbox-tests");
		assertThat(message.getMessageProperties().getTimestamp()).isNotNull();
		assertThat(message.getMessageProperties().getContentType()).isEqualTo("application/json");
		assertThat(message.getMessageProperties().getReceivedDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
		assertThat((String) message.getMessageProperties().getHeader("region")).isEqualTo("eu");
		assertThat(new String(message.getBody())).isEqualTo("{\"fare\":7}");
		awaitRelayed(this.queue);
	}

	@Test
	void aDestinationWithASlashIsAnExchangeAndARoutingKey() {
		TopicExchange exchange = new TopicExchange("exchange-of-" + this.queue);
		Queue declared = new Queue(this.queue);
		admin.declareExchange(exchange);
		admin.declareQueue(declared);
		admin.declareBinding(BindingBuilder.bind(declared).to(exchange).with("ride.*"));
		node.publish(exchange.getName() + "/ride.booked", "ride-1", "routed");
		assertThat(body(this.queue)).isEqualTo("\"routed\"");
	}

	@Test
	void anEventThatNoQueueTakesIsKeptAndHoldsBackItsKeyAlone() {
		String later = node.commit(() -> {
			node.outbox().publish(OutboxNode.event(this.queue, "k", "first"));
			return node.outbox().publish(OutboxNode.event(this.queue, "k", "second"));
		});
		FailingEvent failing = await().until(() -> failing(this.queue), (events) -> !events.isEmpty()).get(0);
		// RabbitMQ returns the message and confirms that; this broker returns it and
		// refuses it.
		assertThat(failing.lastError()).containsAnyOf("RabbitMQ returns the message", "RabbitMQ refuses the message");
		assertThat(failing.key()).isEqualTo("k");
		String other = TestRabbit.queueName();
		admin.declareQueue(new Queue(other));
		node.publish(other, "k", "elsewhere");
		assertThat(body(other)).isEqualTo("\"elsewhere\"");
		admin.declareQueue(new Queue(this.queue));
		Message first = receive(this.queue);
		assertThat(new String(first.getBody())).isEqualTo("\"first\"");
		Message second = receiveAfter(first.getMessageProperties().getMessageId(), this.queue);
		assertThat(second.getMessageProperties().getMessageId()).isEqualTo(later);
		awaitRelayed(this.queue);
		assertThat(failing(this.queue)).isEmpty();
	}

	@Test
	void anEventForAnExchangeThatIsMissingIsKeptAndTriedAgain() {
		String exchange = "exchange-of-" + this.queue;
		String destination = exchange + "/ride.booked";
		String id = node.publish(destination, "k", "unconfirmed");
		await().until(() -> failing(destination), (events) -> !events.isEmpty() && events.get(0).failures() > 1);
		assertThat(failing(destination)).singleElement().satisfies((failing) -> {
			assertThat(failing.id()).isEqualTo(id);
			assertThat(failing.lastError()).isEqualTo("RabbitMQ closes the channel of the message: 404");
		});
		TopicExchange created = new TopicExchange(exchange);
		Queue declared = new Queue(this.queue);
		admin.declareExchange(created);
		admin.declareQueue(declared);
		admin.declareBinding(BindingBuilder.bind(declared).to(created).with("#"));
		assertThat(body(this.queue)).isEqualTo("\"unconfirmed\"");
		awaitRelayed(destination);
	}

}
