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
package dev.idempotency.autoconfigure.outbox;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.ResolvableType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.messaging.KafkaEventSender;
import dev.idempotency.messaging.RabbitEventSender;
import dev.idempotency.outbox.EventRelay;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.Outbox.Backlog;
import dev.idempotency.outbox.Outbox.FailingEvent;
import dev.idempotency.outbox.OutboxEvent;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.outbox.OutgoingEvent;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class IdempotencyOutboxAutoConfigurationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withPropertyValues("idempotency.reaper.enabled=false");

	private final ApplicationContextRunner enabled = this.contextRunner
		.withPropertyValues("idempotency.outbox.enabled=true");

	private final ApplicationContextRunner withBrokers = this.enabled
		.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, RabbitAutoConfiguration.class));

	private static TransactionTemplate transaction(ApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	@Test
	void isOffByDefaultAndAnAnnotatedEventIsNotLostInSilence() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class)).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class).doesNotHaveBean(EventRelay.class);
			assertThatIllegalStateException().isThrownBy(() -> context.publishEvent(new Happened("k")))
				.withMessageContaining("idempotency.outbox.enabled=true");
		});
	}

	@Test
	void relaysFromTheStartToTheEndOfTheApplication() {
		EventRelay[] relay = new EventRelay[1];
		Sent sent = new Sent();
		this.enabled.withBean(EventSender.class, () -> sent).run((context) -> {
			relay[0] = context.getBean(EventRelay.class);
			assertThat(relay[0].isRunning()).isTrue();
			transaction(context).executeWithoutResult((status) -> context.publishEvent(new Happened("k")));
			assertThat(sent.next()).satisfies((event) -> {
				assertThat(event.destination()).isEqualTo("happened");
				assertThat(event.key()).isEqualTo("k");
			});
		});
		assertThat(relay[0].isRunning()).isFalse();
	}

	@Test
	void canBeStoppedAndStartedAgain() {
		Sent sent = new Sent();
		this.enabled.withBean(EventSender.class, () -> sent).run((context) -> {
			EventRelay relay = context.getBean(EventRelay.class);
			relay.stop();
			transaction(context).executeWithoutResult(
					(status) -> context.getBean(Outbox.class).publish("later", null, new Happened("k")));
			assertThat(sent.events).isEmpty();
			relay.start();
			assertThat(sent.next().destination()).isEqualTo("later");
		});
	}

	@Test
	void anAnnotationThatMakesNoSenseSaysWhatToWrite() {
		this.enabled.withBean(EventSender.class, Sent::new).run((context) -> {
			assertThatExceptionOfType(InvalidIdempotentException.class)
				.isThrownBy(() -> transaction(context)
					.executeWithoutResult((status) -> context.publishEvent(new Misspelt("k"))))
				.withMessageContaining("The key of @OutboxEvent on")
				.withMessageContaining("Write a SpEL expression over the event");
			assertThatExceptionOfType(InvalidIdempotentException.class)
				.isThrownBy(() -> transaction(context)
					.executeWithoutResult((status) -> context.publishEvent(new Happened(null))))
				.withMessageContaining("has no value");
		});
	}

	@Test
	void leavesTheOutboxOfTheApplicationAlone() {
		Outbox own = new OwnOutbox();
		this.withBrokers.withBean(Outbox.class, () -> own)
			.run((context) -> assertThat(context).doesNotHaveBean(EventRelay.class)
				.getBean(Outbox.class)
				.isSameAs(own));
	}

	@Test
	void theSenderOfTheApplicationWins() {
		Sent sent = new Sent();
		this.withBrokers.withBean(EventSender.class, () -> sent)
			.run((context) -> assertThat(context).getBean(EventSender.class).isSameAs(sent));
	}

	@Test
	void takesTheBrokerThatIsOnTheClassPath() {
		this.withBrokers.withClassLoader(new FilteredClassLoader("org.springframework.amqp"))
			.run((context) -> assertThat(context).getBean(EventSender.class).isInstanceOf(KafkaEventSender.class));
		this.withBrokers.withClassLoader(new FilteredClassLoader("org.springframework.kafka"))
			.run((context) -> assertThat(context).getBean(EventSender.class).isInstanceOf(RabbitEventSender.class));
	}

	@Test
	void whereThereAreTwoBrokersThePropertyDecides() {
		this.withBrokers.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidIdempotentException.class)
			.hasMessageContaining("Set it to kafka or rabbit"));
		this.withBrokers.withPropertyValues("idempotency.outbox.broker=kafka")
			.run((context) -> assertThat(context).getBean(EventSender.class).isInstanceOf(KafkaEventSender.class));
		this.withBrokers.withPropertyValues("idempotency.outbox.broker=rabbit")
			.run((context) -> assertThat(context).getBean(EventSender.class).isInstanceOf(RabbitEventSender.class));
	}

	@Test
	void withoutABrokerTheApplicationDoesNotStart() {
		this.enabled.withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.springframework.amqp"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("no broker is available")
				.hasMessageContaining("spring-boot-starter-kafka"));
	}

	@Test
	@Tag("M8")
	void withoutADatabaseThereIsNoOutboxAndAnAnnotatedEventIsRefused() {
		TestContexts.withoutDatabase().withPropertyValues("idempotency.outbox.enabled=true").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class);
			assertThatIllegalStateException().isThrownBy(() -> context.publishEvent(new Happened("k")))
				.withMessageContaining("no outbox is configured");
		});
	}

	@Test
	@Tag("M2")
	void aNamespaceThatNoBrokerSendsIsRefusedAtTheStart() {
		this.enabled.withBean(EventSender.class, Sent::new)
			.withPropertyValues("idempotency.namespace=" + "ü".repeat(43))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("has 258 characters")
				.hasMessageContaining("Set a shorter idempotency.namespace"));
	}

	@Test
	void switchedOffItIgnoresAnnotatedEvents() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThatNoException().isThrownBy(() -> context.publishEvent(new Happened("k"))));
	}

	@Test
	@Tag("M8")
	void anAnnotatedEventIsSentWhateverTypeItIsPublishedAs() {
		Sent sent = new Sent();
		this.enabled.withBean(EventSender.class, () -> sent).run((context) -> {
			transaction(context).executeWithoutResult((status) -> context.publishEvent(
					new PayloadApplicationEvent<>(this, new Happened("k"), ResolvableType.forClass(Object.class))));
			assertThat(sent.next().type()).isEqualTo("Happened");
		});
	}

	@Test
	@Tag("M8")
	void anAnnotatedApplicationEventIsRefusedAndNothingIsLostInSilence() {
		this.enabled.withBean(EventSender.class, Sent::new)
			.run((context) -> assertThatExceptionOfType(InvalidIdempotentException.class)
				.isThrownBy(() -> transaction(context)
					.executeWithoutResult((status) -> context.publishEvent(new HappenedToSpring(this))))
				.withMessageContaining("HappenedToSpring")
				.withMessageContaining("extends ApplicationEvent")
				.withMessageContaining("Publish an object that does not extend ApplicationEvent"));
	}

	@OutboxEvent(destination = "happened", key = "key()")
	record Happened(@Nullable String key) {
	}

	@OutboxEvent(destination = "happened")
	static final class HappenedToSpring extends ApplicationEvent {

		HappenedToSpring(Object source) {
			super(source);
		}

	}

	@OutboxEvent(destination = "happened", key = "kye()")
	record Misspelt(String key) {
	}

	static final class Sent implements EventSender {

		private final BlockingQueue<OutgoingEvent> events = new LinkedBlockingQueue<>();

		@Override
		public CompletableFuture<?> send(OutgoingEvent event) {
			this.events.add(event);
			return CompletableFuture.completedFuture(null);
		}

		OutgoingEvent next() throws InterruptedException {
			OutgoingEvent next = this.events.poll(1, TimeUnit.MINUTES);
			if (next == null) {
				throw new AssertionError("Nothing within a minute");
			}
			return next;
		}

	}

	static final class OwnOutbox implements Outbox {

		@Override
		public String publish(OutboxMessage message) {
			throw new AssertionError("Nobody calls this");
		}

		@Override
		public List<Backlog> backlog(int limit) {
			return List.of();
		}

		@Override
		public List<FailingEvent> failing(int limit) {
			return List.of();
		}

		@Override
		public void retry(String id) {
			throw new AssertionError("Nobody calls this");
		}

		@Override
		public void discard(String id) {
			throw new AssertionError("Nobody calls this");
		}

	}

}
