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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.messagingtests.broker.TestKafka;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One record after the other from Kafka.
 */
class KafkaInboxTests {

	private static Inbox inbox;

	@BeforeAll
	static void start() {
		List.of("plain", "expression", "optional", "groups", "asked", "replies", "retried", "swallowed", "manual",
				"handlers", "place-one", "place-two", KafkaErrorHandling.DEAD_LETTERS)
			.forEach((topic) -> TestKafka.createTopic(topic, 1));
		inbox = Inbox.start(KafkaRecordApplication.class, Map.of());
	}

	@AfterAll
	static void stop() {
		inbox.close();
	}

	@Test
	void messageThatIsSentTwiceHasOneEffect() {
		String id = Inbox.randomId();
		inbox.sendToKafka("plain", id, "a");
		inbox.sendToKafka("plain", id, "a");
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce("a");
	}

	@ParameterizedTest
	@ValueSource(strings = { "id", "message-id", "message_id", "ce-id", "ce_id", "cloudEvents:id" })
	void keyComesFromHeaderThatProducersUse(String header) {
		String payload = "by " + header;
		Map<String, String> headers = Map.of(header, Inbox.randomId());
		inbox.sendToKafka("plain", 0, payload, headers);
		inbox.sendToKafka("plain", 0, payload, headers);
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce(payload);
	}

	@Test
	void sameCloudEventIdOfAnotherSourceIsAnotherMessage() {
		String id = Inbox.randomId();
		inbox.sendToKafka("plain", 0, "of source", Map.of("ce_id", id, "ce_source", "/one"));
		inbox.sendToKafka("plain", 0, "of source", Map.of("ce_id", id, "ce_source", "/other"));
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).filteredOn("of source"::equals).hasSize(2);
	}

	@Test
	void expressionWinsOverHeaders() {
		inbox.sendToKafka("expression", Inbox.randomId(), "x: first");
		inbox.sendToKafka("expression", Inbox.randomId(), "x: first");
		inbox.sendToKafka("expression", Inbox.randomId(), "y: other");
		awaitEnd("expression");
		assertThat(inbox.effects().of("expression")).startsWith("x: first", "y: other").doesNotHaveDuplicates();
	}

	@Test
	void messageWithoutKeyIsLeftToErrorHandler() {
		inbox.sendToKafka("plain", 0, "no key", Map.of());
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).doesNotContain("no key");
		assertThat(inbox.bean(Failures.class).of("plain"))
			.anySatisfy((failure) -> assertThat(failure).isInstanceOf(MissingKeyException.class)
				.hasMessageContainingAll("plain", "ce_id", "message-id", "#payload.id()", "Required.FALSE"));
	}

	@Test
	void messageWithoutKeyRunsUnprotectedWhereKeyIsOptional() {
		inbox.sendToKafka("optional", 0, "no key", Map.of());
		inbox.sendToKafka("optional", 0, "no key", Map.of());
		awaitEnd("optional");
		assertThat(inbox.effects().of("optional")).filteredOn("no key"::equals).hasSize(2);
	}

	@Test
	void idThatIsReusedWithAnotherBodyIsLeftToErrorHandler() {
		String id = Inbox.randomId();
		inbox.sendToKafka("plain", id, "body");
		inbox.sendToKafka("plain", id, "other body");
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).contains("body").doesNotContain("other body");
		assertThat(inbox.bean(Failures.class).of("plain")).hasAtLeastOneElementOfType(KeyReusedException.class);
	}

	@Test
	void tombstoneIsProcessedOnceAndIsNotTheBodyOfTheSameId() {
		String id = Inbox.randomId();
		long before = tombstones();
		int failures = inbox.bean(Failures.class).of("plain").size();
		inbox.sendToKafka("plain", id, null);
		inbox.sendToKafka("plain", id, null);
		inbox.sendToKafka("plain", id, "no tombstone");
		awaitEnd("plain");
		assertThat(tombstones()).isEqualTo(before + 1);
		assertThat(inbox.effects().of("plain")).doesNotContain("no tombstone");
		assertThat(inbox.bean(Failures.class).of("plain")).hasSize(failures + 1);
	}

	private static long tombstones() {
		return inbox.effects().of("plain").stream().filter((payload) -> payload == null).count();
	}

	@Test
	void eachConsumerGroupHasItsEffect() {
		String id = Inbox.randomId();
		inbox.sendToKafka("groups", id, "to all");
		inbox.sendToKafka("groups", id, "to all");
		inbox.sendToKafka("groups", Inbox.randomId(), "end");
		Inbox.await()
			.until(() -> inbox.effects().of("groups").stream().filter("end"::equals).count() == 2
					&& inbox.effects().of("third").contains("end"));
		assertThat(inbox.effects().of("groups")).filteredOn("to all"::equals).hasSize(2);
		assertThat(inbox.effects().of("third")).containsOnlyOnce("to all");
	}

	@Test
	@Tag("M1")
	void equalIdsOnTwoTopicsOfOneListenerAreTwoMessages() {
		for (String topic : List.of("place-one", "place-two", "place-one", "place-two")) {
			inbox.sendToKafka(topic, "1", "in both");
		}
		for (String topic : List.of("place-one", "place-two")) {
			inbox.sendToKafka(topic, "2", "end");
		}
		Inbox.await().until(() -> inbox.effects().of("places").stream().filter("end"::equals).count() == 2);
		assertThat(inbox.effects().of("places")).filteredOn("in both"::equals).hasSize(2);
	}

	@Test
	void failedMessageIsRolledBackAndRunsWhenItIsRedrivenWhileOneThatSucceededIsSkipped() {
		String payload = "poison " + Inbox.randomId() + "!";
		String id = Inbox.randomId();
		inbox.sendToKafka("plain", id, payload);
		Inbox.await().until(() -> KafkaLog.deadLetter(payload) != null);
		assertThat(inbox.effects().of("plain")).doesNotContain(payload);
		inbox.bean(KafkaRecordListeners.class).repair(payload);
		KafkaLog.redrive(inbox, payload, "plain");
		Inbox.await().until(() -> inbox.effects().of("plain").contains(payload));
		KafkaLog.redrive(inbox, payload, "plain");
		awaitEnd("plain");
		assertThat(inbox.effects().of("plain")).containsOnlyOnce(payload);
	}

	@Test
	void replyIsSentAgainForDuplicate() {
		String id = Inbox.randomId();
		inbox.sendToKafka("asked", id, "question");
		inbox.sendToKafka("asked", id, "question");
		List<String> replies = new ArrayList<>();
		Inbox.await().untilAsserted(() -> {
			replies.clear();
			KafkaLog.read("replies").forEach((message) -> replies.add(message.value()));
			assertThat(replies).hasSize(2);
		});
		assertThat(replies.get(0)).startsWith("reply ").isEqualTo(replies.get(1));
		assertThat(inbox.effects().of("asked")).containsOnlyOnce("question");
	}

	@Test
	void messageOnRetryTopicIsTheSameMessage() {
		String id = Inbox.randomId();
		inbox.sendToKafka("retried", id, "later!");
		Inbox.await().until(() -> inbox.effects().of("retried").contains("later!"));
		inbox.sendToKafka("retried", id, "later!");
		awaitEnd("retried");
		assertThat(inbox.effects().of("retried")).containsOnlyOnce("later!");
	}

	@Test
	void failureThatListenersOwnErrorHandlerSwallowsIsNotRecorded() {
		String id = Inbox.randomId();
		inbox.sendToKafka("swallowed", id, "bad!");
		awaitEnd("swallowed");
		assertThat(inbox.effects().of("swallowed")).doesNotContain("bad!");
		inbox.bean(KafkaRecordListeners.class).repair("bad!");
		inbox.sendToKafka("swallowed", id, "bad!");
		Inbox.await().until(() -> inbox.effects().of("swallowed").contains("bad!"));
	}

	@Test
	void duplicateIsAcknowledgedWhereListenersAcknowledgeThemselves() throws Exception {
		String id = Inbox.randomId();
		inbox.sendToKafka("manual", id, "by hand");
		Inbox.await().until(() -> inbox.effects().of("manual").contains("by hand"));
		inbox.sendToKafka("manual", id, "by hand");
		long end = KafkaLog.end("manual");
		Inbox.await().until(() -> KafkaLog.committed("manual") == end);
		assertThat(inbox.effects().of("manual")).containsOnlyOnce("by hand");
	}

	@Test
	void messageThatIsGivenBackIsRolledBackAndComesAgain() {
		inbox.sendToKafka("manual", Inbox.randomId(), "not now?");
		awaitEnd("manual");
		assertThat(inbox.effects().of("manual")).containsOnlyOnce("not now?");
		Inbox.await().until(() -> KafkaLog.committed("manual") == KafkaLog.end("manual"));
	}

	@Test
	void brokerIsToldAfterTheCommitWhatTheListenerAcknowledged() {
		inbox.sendToKafka("manual", Inbox.randomId(), "too early!");
		awaitEnd("manual");
		assertThat(inbox.effects().of("manual")).containsOnlyOnce("too early!");
		assertThat(inbox.bean(KafkaRecordListeners.class).isAcknowledgedEarly()).isFalse();
		Inbox.await().until(() -> KafkaLog.committed("manual") == KafkaLog.end("manual"));
	}

	@Test
	void handlerOfClassIsProtected() {
		String id = Inbox.randomId();
		inbox.sendToKafka("handlers", id, "handled");
		inbox.sendToKafka("handlers", id, "handled");
		inbox.sendToKafka("handlers", 0, null, Map.of());
		inbox.sendToKafka("handlers", Inbox.randomId(), "end");
		Inbox.await().until(() -> inbox.effects().of("handlers").contains("end"));
		assertThat(inbox.effects().of("handlers")).containsExactly("handled", "end");
		assertThat(inbox.effects().of("unprotected handler")).hasSize(1);
	}

	private static void awaitEnd(String topic) {
		String end = "end " + Inbox.randomId();
		inbox.sendToKafka(topic, end, end);
		Inbox.await().until(() -> inbox.effects().of(topic).contains(end));
	}

}
