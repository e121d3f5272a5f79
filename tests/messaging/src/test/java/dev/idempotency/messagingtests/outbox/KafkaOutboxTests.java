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

import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.outbox.OutboxEvent;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.testsupport.TestDatabase;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Events that go well, on one node and Kafka.
 */
class KafkaOutboxTests {

	/** Less than a broker accepts by default. */
	private static final int MAX_REQUEST_SIZE = 200_000;

	private static OutboxNode node;

	private Topic topic;

	@BeforeAll
	static void start() {
		node = OutboxNode.onKafka(OutboxNode.database(), "tests.rides=" + TestKafka.createTopic(1),
				"spring.kafka.producer.properties.max.request.size=" + MAX_REQUEST_SIZE);
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@BeforeEach
	void createTopic() {
		this.topic = Topic.create(1);
	}

	@AfterEach
	void closeTopic() {
		this.topic.close();
	}

	@Test
	void anEventOfARolledBackTransactionIsNeverSent() {
		node.transaction().executeWithoutResult((status) -> {
			node.outbox().publish(OutboxNode.event(this.topic.name(), "k", "rolled back"));
			assertThat(node.staged()).isEqualTo(1);
			status.setRollbackOnly();
		});
		assertThat(node.staged()).isZero();
		node.publish(this.topic.name(), "k", "committed");
		assertThat(this.topic.awaitValues(1)).containsExactly("\"committed\"");
	}

	@Test
	void anEventOfACommittedTransactionIsSentAsACloudEventAndGone() {
		Instant before = Instant.now().minusSeconds(60);
		String id = node.publish(OutboxMessage.to(this.topic.name(), new Booked("ride-7", 1200)).withKey("ride-7"));
		ConsumerRecord<String, String> message = this.topic.await(1).get(0);
		assertThat(message.key()).isEqualTo("ride-7");
		assertThat(message.value()).isEqualTo("{\"rideId\":\"ride-7\",\"fareCents\":1200}");
		assertThat(Topic.header(message, "ce_id")).isEqualTo(id);
		assertThat(Topic.header(message, "ce_specversion")).isEqualTo("1.0");
		assertThat(Topic.header(message, "ce_type")).isEqualTo("Booked");
		assertThat(Topic.header(message, "ce_source")).isEqualTo("outbox-tests");
		assertThat(Instant.parse(Topic.header(message, "ce_time"))).isAfter(before);
		assertThat(Topic.header(message, "content-type")).isEqualTo("application/json");
		await().until(() -> node.staged() == 0);
		assertThat(UUID.fromString(id).version()).isEqualTo(7);
	}

	@Test
	void idTypeAndHeadersAreThoseThatTheEventHas() {
		node.commit(() -> node.outbox()
			.publish(OutboxMessage.to(this.topic.name(), new byte[] { 'r', 'a', 'w' })
				.withId("booking-9")
				.withType("com.example.booked")
				.withHeader("region", "eu")));
		ConsumerRecord<String, String> message = this.topic.await(1).get(0);
		assertThat(message.key()).isNull();
		assertThat(message.value()).isEqualTo("raw");
		assertThat(Topic.header(message, "ce_id")).isEqualTo("booking-9");
		assertThat(Topic.header(message, "ce_type")).isEqualTo("com.example.booked");
		assertThat(Topic.header(message, "region")).isEqualTo("eu");
		assertThat(Topic.header(message, "content-type")).isEqualTo("application/octet-stream");
	}

	@Test
	void anAnnotatedEventOfThePublisherGoesWithItsTransaction() {
		try (Topic rides = Topic.of(node.context().getEnvironment().getRequiredProperty("tests.rides"))) {
			node.transaction().executeWithoutResult((status) -> {
				node.context().publishEvent(new Booked("ride-8", 1));
				status.setRollbackOnly();
			});
			node.transaction().executeWithoutResult((status) -> node.context().publishEvent(new Booked("ride-9", 2)));
			ConsumerRecord<String, String> message = rides.await(1).get(0);
			assertThat(message.key()).isEqualTo("ride-9");
			assertThat(Topic.header(message, "ce_id")).isEqualTo("booked-ride-9");
			assertThat(Topic.header(message, "ce_type")).isEqualTo("ride-booked");
		}
	}

	@Test
	void withoutATransactionOfTheBusinessRowsNothingIsPublished() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> node.outbox().publish("rides", "k", new Booked("r", 1)))
			.withMessageStartingWith("The event Booked cannot be published to 'rides': there is no transaction")
			.withMessageContaining("@Transactional");
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> node.context().publishEvent(new Booked("r", 1)))
			.withMessageContaining("there is no transaction");
		TransactionTemplate readOnly = node.transaction();
		readOnly.setReadOnly(true);
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> readOnly.execute((status) -> node.outbox().publish(OutboxNode.event("rides", "k", "v"))))
			.withMessageContaining("read-only");
		assertThat(node.staged()).isZero();
	}

	/**
	 * To Spring it is active then, and its connection has no auto-commit: what is written
	 * would go with nobody.
	 */
	@Test
	void inATransactionThatHasEndedNothingIsPublished() {
		node.transaction()
			.executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						assertThatExceptionOfType(IllegalTransactionStateException.class)
							.isThrownBy(() -> node.outbox().publish(OutboxNode.event("rides", "k", "too late")))
							.withMessageContaining("the transaction has ended")
							.withMessageContaining("REQUIRES_NEW");
						TransactionTemplate another = node.transaction();
						another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
						another.execute((inner) -> node.outbox()
							.publish(OutboxNode.event(KafkaOutboxTests.this.topic.name(), "k", "in another")));
					}

				}));
		assertThat(this.topic.awaitValues(1)).containsExactly("\"in another\"");
	}

	@Test
	void aPayloadThatIsNoJsonIsRefusedBeforeTheCommit() {
		AtomicReference<Object> self = new AtomicReference<>();
		self.set(List.of(self));
		assertThatIllegalArgumentException().isThrownBy(() -> node.publish(this.topic.name(), "k", self))
			.withMessageContaining("cannot be written as JSON");
		assertThat(node.staged()).isZero();
	}

	/**
	 * It would hold up its key until an operator discards it.
	 */
	@Test
	@Tag("M2")
	void anEventThatIsLargerThanTheProducerSendsIsRefusedBeforeTheCommit() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> node.publish(this.topic.name(), "k", new byte[MAX_REQUEST_SIZE]))
			.withMessageContaining("sends up to " + MAX_REQUEST_SIZE)
			.withMessageContaining("max.request.size");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> node.publish(OutboxNode.event(this.topic.name(), "k", new byte[MAX_REQUEST_SIZE - 40_000])
				.withHeader("large", "x".repeat(40_000))))
			.withMessageContaining("max.request.size");
		assertThat(node.staged()).isZero();
	}

	@Test
	@Tag("M2")
	void theLargestEventThatIsNotRefusedIsSent() {
		int accepted = 0;
		for (int step = MAX_REQUEST_SIZE / 2; step > 0; step /= 2) {
			accepted += isAccepted(accepted + step) ? step : 0;
		}
		assertThat(accepted).isGreaterThan(MAX_REQUEST_SIZE - 1000);
		node.publish(OutboxMessage.to(this.topic.name(), new byte[accepted]).withType("largest"));
		assertThat(this.topic.await(1).get(0).value()).hasSize(accepted);
		assertThat(node.outbox().failing()).isEmpty();
	}

	private boolean isAccepted(int size) {
		return node.transaction().execute((status) -> {
			status.setRollbackOnly();
			try {
				node.outbox().publish(OutboxMessage.to(this.topic.name(), new byte[size]).withType("largest"));
				return true;
			}
			catch (IllegalArgumentException ex) {
				return false;
			}
		});
	}

	@Test
	void encryptedEventsAreUnreadableInTheDatabaseAndReadableAtTheBroker() {
		TestDatabase database = OutboxNode.database();
		try (OutboxNode encrypting = OutboxNode.onKafka(database, "idempotency.codec.type=aes-gcm",
				"idempotency.codec.keys.k=" + Base64.getEncoder().encodeToString(new byte[32]))) {
			encrypting.transaction().executeWithoutResult((status) -> {
				encrypting.outbox().publish(OutboxNode.event(this.topic.name(), "k", "secret-4711"));
				assertThat(encrypting.jdbc()
					.queryForList("select encode(content, 'escape') from idempotency_outbox", String.class))
					.singleElement()
					.asString()
					.doesNotContain("secret-4711");
			});
			assertThat(this.topic.awaitValues(1)).containsExactly("\"secret-4711\"");
		}
	}

	@OutboxEvent(destination = "${tests.rides}", key = "rideId()", type = "ride-booked", id = "'booked-' + rideId()")
	record Booked(String rideId, int fareCents) {
	}

}
