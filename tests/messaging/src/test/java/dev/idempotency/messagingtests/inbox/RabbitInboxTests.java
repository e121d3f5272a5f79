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
package dev.idempotency.messagingtests.inbox;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.core.BatchingRabbitTemplate;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;

import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MissingKeyException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages from an AMQP broker.
 */
class RabbitInboxTests {

	private static Inbox inbox;

	@BeforeAll
	static void start() {
		inbox = Inbox.start(RabbitApplication.class,
				Map.of("spring.rabbitmq.listener.simple.retry.enabled", "true",
						"spring.rabbitmq.listener.simple.retry.max-retries", "2",
						"spring.rabbitmq.listener.simple.retry.initial-interval", "10ms"));
	}

	@AfterAll
	static void stop() {
		inbox.close();
	}

	@Test
	void messageThatIsSentTwiceHasOneEffect() {
		String id = Inbox.randomId();
		inbox.sendToRabbit("plain", id, "a");
		inbox.sendToRabbit("plain", id, "a");
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce("a");
	}

	@Test
	void keyComesFromCloudEventBeforeMessageId() {
		for (int i = 0; i < 2; i++) {
			inbox.sendToRabbit("plain", "event", (message) -> {
				message.getMessageProperties().setMessageId(Inbox.randomId());
				message.getMessageProperties().setHeader("cloudEvents:id", "1");
				message.getMessageProperties().setHeader("cloudEvents:source", "/tests");
				return message;
			});
		}
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce("event");
	}

	@Test
	void eachQueueHasItsEffect() {
		String id = Inbox.randomId();
		for (String queue : List.of("one", "one", "other", "other")) {
			inbox.sendToRabbit(queue, id, "to both");
		}
		for (String queue : List.of("one", "other")) {
			inbox.sendToRabbit(queue, Inbox.randomId(), "end");
		}
		Inbox.await().until(() -> inbox.effects().of("queues").stream().filter("end"::equals).count() == 2);
		assertThat(inbox.effects().of("queues")).filteredOn("to both"::equals).hasSize(2);
	}

	/**
	 * A message has waited in a queue with a time to live, and has then been routed to
	 * both queues: its headers name the queue in which it waited.
	 */
	@Test
	@Tag("M1")
	void queueThatDeliversAMessageCountsWhereverItDiedBefore() {
		String id = Inbox.randomId();
		for (String queue : List.of("one", "other", "one", "other")) {
			inbox.sendToRabbit(queue, "waited", (message) -> {
				message.getMessageProperties().setMessageId(id);
				message.getMessageProperties().setHeader("x-first-death-queue", "waiting");
				return message;
			});
		}
		for (String queue : List.of("one", "other")) {
			inbox.sendToRabbit(queue, "after " + id + queue, "end of " + queue);
		}
		Inbox.await().until(() -> inbox.effects().of("queues").containsAll(List.of("end of one", "end of other")));
		assertThat(inbox.effects().of("queues")).filteredOn("waited"::equals).hasSize(2);
	}

	@Test
	@Tag("M5")
	void fragmentsOfABatchAreMessagesOfTheirOwn() {
		sendBatches("fragments");
		awaitEnd("fragments");
		assertThat(inbox.effects().of("fragments")).filteredOn("equal"::equals).hasSize(3);
		sendBatches("fragment-lists");
		listen("fragment-lists");
		inbox.sendToRabbit("fragment-lists", "end", "end");
		Inbox.await().until(() -> inbox.effects().of("fragment-lists").contains("end"));
		assertThat(inbox.effects().of("fragment-lists")).containsExactly("equal", "equal", "equal", "end");
	}

	/**
	 * Sends three messages with equal bodies as one, twice.
	 */
	private static void sendBatches(String queue) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.initialize();
		BatchingRabbitTemplate template = new BatchingRabbitTemplate(
				inbox.bean(RabbitTemplate.class).getConnectionFactory(), new SimpleBatchingStrategy(3, 10_000, 60_000),
				scheduler);
		for (int i = 0; i < 6; i++) {
			String id = queue + i % 3;
			template.convertAndSend("", queue, "equal", (message) -> {
				message.getMessageProperties().setMessageId(id);
				return message;
			});
		}
		scheduler.shutdown();
	}

	@Test
	void messageWithoutKeyAndReusedIdAreLeftToErrorHandling() {
		inbox.sendToRabbit("plain", "no key", (message) -> message);
		inbox.sendToRabbit("plain", "7", "body");
		inbox.sendToRabbit("plain", "7", "other body");
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).contains("body").doesNotContain("no key", "other body");
		assertThat(inbox.bean(Failures.class).of("plain")).hasAtLeastOneElementOfType(MissingKeyException.class)
			.hasAtLeastOneElementOfType(KeyReusedException.class);
	}

	@Test
	void failedMessageIsRolledBackAndRunsWhenItIsRedrivenWhileOneThatSucceededIsSkipped() {
		inbox.sendToRabbit("plain", Inbox.randomId(), "poison!");
		Message dead = awaitDeadLetter("poison!");
		assertThat(inbox.effects().of("plain")).doesNotContain("poison!");
		inbox.bean(RabbitMessageListeners.class).repair("poison!");
		inbox.bean(RabbitTemplate.class).send("plain", dead);
		Inbox.await().until(() -> inbox.effects().of("plain").contains("poison!"));
		inbox.bean(RabbitTemplate.class).send("plain", dead);
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce("poison!");
	}

	@Test
	void replyIsSentAgainForDuplicate() {
		String id = Inbox.randomId();
		Object first = ask(id);
		assertThat(first).asString().startsWith("reply ");
		assertThat(ask(id)).isEqualTo(first);
		assertThat(inbox.effects().of("asked")).containsOnlyOnce("question");
	}

	private static Object ask(String id) {
		return inbox.bean(RabbitTemplate.class).convertSendAndReceive("", "asked", "question", (message) -> {
			message.getMessageProperties().setMessageId(id);
			return message;
		});
	}

	@Test
	void duplicateIsAcknowledgedWhereListenersAcknowledgeThemselves() {
		String id = Inbox.randomId();
		inbox.sendToRabbit("manual", id, "by hand");
		inbox.sendToRabbit("manual", id, "by hand");
		inbox.sendToRabbit("manual", Inbox.randomId(), "not now?");
		inbox.sendToRabbit("manual", Inbox.randomId(), "too early!");
		awaitEnd("manual");
		Inbox.await().until(() -> inbox.effects().of("manual").containsAll(List.of("not now?", "too early!")));
		assertThat(inbox.effects().of("manual")).doesNotHaveDuplicates();
		awaitNothingLeft("manual");
	}

	@Test
	void duplicatesAreNotInTheListAndBatchOfDuplicatesIsAcknowledgedWithoutCall() {
		inbox.sendToRabbit("batch", "1", "a");
		inbox.sendToRabbit("batch", "2", "b!");
		inbox.sendToRabbit("batch", "1", "a");
		listen("batch");
		Inbox.await().until(() -> inbox.effects().of("batch").contains("b!"));
		inbox.sendToRabbit("batch", "1", "a");
		inbox.sendToRabbit("batch", "2", "b!");
		inbox.sendToRabbit("batch", "3", "end");
		Inbox.await().until(() -> inbox.effects().of("batch").contains("end"));
		assertThat(inbox.effects().of("batch")).containsExactly("a", "b!", "end");
		assertThat(inbox.bean(RabbitMessageListeners.class).batches()).isNotEmpty()
			.noneMatch(List::isEmpty)
			.allSatisfy((payloads) -> assertThat(payloads).doesNotHaveDuplicates());
		awaitNothingLeft("batch");
	}

	@Test
	@Tag("M4")
	@Tag("M7")
	void messageOfBatchThatFailsOrHasNoKeyDoesNotDiscardTheOthers() {
		for (String payload : List.of("first", "failing!", "no", "last")) {
			inbox.sendToRabbit("batch-part", payload, payload);
		}
		listen("batch-part");
		Inbox.await().until(() -> inbox.effects().of("batch-part").contains("last"));
		awaitNothingLeft("batch-part");
		assertThat(inbox.effects().of("batch-part")).containsExactly("first", "last");
	}

	private static void listen(String id) {
		inbox.bean(RabbitListenerEndpointRegistry.class).getListenerContainer(id).start();
	}

	private static void awaitEnd(String queue) {
		String end = "end " + Inbox.randomId();
		inbox.sendToRabbit(queue, end, end);
		Inbox.await().until(() -> inbox.effects().of(queue).contains(end));
	}

	/**
	 * Waits until the queue is empty: an unacknowledged message is still in the queue
	 * when its consumers have gone.
	 */
	private static void awaitNothingLeft(String queue) {
		inbox.bean(RabbitListenerEndpointRegistry.class)
			.getListenerContainers()
			.stream()
			.filter((container) -> Stream.of(container)
				.map(AbstractMessageListenerContainer.class::cast)
				.anyMatch((rabbit) -> List.of(rabbit.getQueueNames()).contains(queue)))
			.forEach((container) -> container.stop());
		Inbox.await().until(() -> inbox.bean(RabbitAdmin.class).getQueueInfo(queue).getConsumerCount() == 0);
		assertThat(inbox.bean(RabbitAdmin.class).getQueueInfo(queue).getMessageCount()).isZero();
	}

	private static Message awaitDeadLetter(String payload) {
		RabbitTemplate template = inbox.bean(RabbitTemplate.class);
		return Inbox.await()
			.until(() -> template.receive("dead"),
					(message) -> message != null && payload.equals(new String(message.getBody())));
	}

}
