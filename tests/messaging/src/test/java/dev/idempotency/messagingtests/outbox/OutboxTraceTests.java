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

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;

import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.outbox.PublicationObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.amqp.rabbit.annotation.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.annotation.KafkaListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * An event goes on in the trace of the request that has published it, through database
 * and broker.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutboxTraceTests {

	private static OutboxNode node;

	private static ObservationRegistry registry;

	private static Tracer tracer;

	@BeforeAll
	static void start() {
		node = OutboxNode.start(OutboxNode.database(), List.of(KafkaReceiver.class, FailingHandler.class), "kafka",
				"tests.traced=" + TestKafka.createTopic(1), "spring.kafka.listener.observation-enabled=true",
				"spring.kafka.consumer.auto-offset-reset=earliest");
		registry = node.context().getBean(ObservationRegistry.class);
		tracer = node.context().getBean(Tracer.class);
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	/**
	 * Publishes an event within an observation.
	 * @return the id of its trace
	 */
	private static String publishTraced(OutboxMessage message) {
		return Observation.createNotStarted("request", registry).observe(() -> {
			node.commit(() -> node.outbox().publish(message));
			return currentTrace(tracer);
		});
	}

	private static String currentTrace(Tracer tracer) {
		var span = tracer.currentSpan();
		return (span != null) ? span.context().traceId() : "none";
	}

	private static void withTopic(Consumer<Topic> test) {
		try (Topic topic = Topic.create(1)) {
			test.accept(topic);
		}
	}

	private static boolean has(ConsumerRecord<String, String> message, String header) {
		return message.headers().lastHeader(header) != null;
	}

	@Test
	void theRelayedMessageCarriesTheTraceOfTheRequest() {
		withTopic((topic) -> {
			String trace = publishTraced(
					OutboxMessage.to(topic.name(), "traced").withType("test").withHeader("region", "eu"));
			ConsumerRecord<String, String> message = topic.await(1).get(0);
			assertThat(Topic.header(message, "traceparent")).matches("00-" + trace + "-[0-9a-f]{16}-[0-9a-f]{2}");
			assertThat(Topic.header(message, "region")).isEqualTo("eu");
		});
	}

	@Test
	void aListenerGoesOnInTheTrace() throws InterruptedException {
		String destination = node.context().getEnvironment().getRequiredProperty("tests.traced");
		String trace = publishTraced(OutboxMessage.to(destination, "for a listener").withType("test"));
		assertThat(node.context().getBean(Receiver.class).awaitTrace()).isEqualTo(trace);
	}

	@Test
	void aHeaderOfTheApplicationStaysAsItIs() {
		withTopic((topic) -> {
			publishTraced(OutboxMessage.to(topic.name(), "own").withType("test").withHeader("traceparent", "my own"));
			ConsumerRecord<String, String> message = topic.await(1).get(0);
			assertThat(message.headers().headers("traceparent")).singleElement()
				.satisfies(
						(header) -> assertThat(new String(header.value(), StandardCharsets.UTF_8)).isEqualTo("my own"));
		});
	}

	@Test
	void aListenerOfRabbitGoesOnInTheTrace() throws InterruptedException {
		String queue = TestRabbit.queueName();
		try (OutboxNode rabbit = OutboxNode.start(OutboxNode.database(), List.of(RabbitReceiver.class), "rabbit",
				"tests.queue=" + queue, "spring.rabbitmq.listener.simple.observation-enabled=true")) {
			String trace = Observation.createNotStarted("request", rabbit.context().getBean(ObservationRegistry.class))
				.observe(() -> {
					rabbit.publish(queue, "k", "for a listener");
					return currentTrace(rabbit.context().getBean(Tracer.class));
				});
			assertThat(rabbit.context().getBean(Receiver.class).awaitTrace()).isEqualTo(trace);
		}
	}

	@Test
	void withoutObservationsThereIsNoTrace() {
		try (OutboxNode unobserved = OutboxNode.onKafka(OutboxNode.database(),
				"management.observations.enable.idempotency=false")) {
			withTopic((topic) -> {
				unobserved.publish(topic.name(), "k", "not traced");
				assertThat(has(topic.await(1).get(0), "traceparent")).isFalse();
			});
		}
	}

	@Test
	void aHandlerThatFailsHarmsNoEvent(CapturedOutput output) {
		withTopic((topic) -> {
			publishTraced(OutboxMessage.to(topic.name(), "harmless").withType(FailingHandler.TYPE));
			assertThat(topic.awaitValues(1)).containsExactly("\"harmless\"");
			assertThat(output).contains("[IDEM-1702]");
		});
	}

	@Test
	void aPublicationThatFailsIsAnErrorOfItsSpanAndOfTheCaller() {
		AtomicReference<Object> self = new AtomicReference<>();
		self.set(List.of(self));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> publishTraced(OutboxMessage.to("nowhere", self).withType("unwritable")))
			.withMessageContaining("cannot be written as JSON");
		assertThat(node.context().getBean(FailingHandler.class).failures).singleElement()
			.isInstanceOf(IllegalArgumentException.class);
	}

	/**
	 * Remembers in which traces it was called.
	 */
	abstract static class Receiver {

		private final BlockingQueue<String> traces = new LinkedBlockingQueue<>();

		private final Tracer tracer;

		Receiver(Tracer tracer) {
			this.tracer = tracer;
		}

		@Nullable String awaitTrace() throws InterruptedException {
			return this.traces.poll(1, TimeUnit.MINUTES);
		}

		void received() {
			this.traces.add(currentTrace(this.tracer));
		}

	}

	static class KafkaReceiver extends Receiver {

		KafkaReceiver(Tracer tracer) {
			super(tracer);
		}

		@Idempotent
		@KafkaListener(topics = "${tests.traced}", groupId = "traced")
		void receive(String event) {
			received();
		}

	}

	static class RabbitReceiver extends Receiver {

		RabbitReceiver(Tracer tracer) {
			super(tracer);
		}

		@Idempotent
		@RabbitListener(queuesToDeclare = @Queue("${tests.queue}"))
		void receive(String event) {
			received();
		}

	}

	static class FailingHandler implements ObservationHandler<PublicationObservationContext> {

		static final String TYPE = "failing";

		private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof PublicationObservationContext;
		}

		@Override
		public void onStart(PublicationObservationContext context) {
			if (context.message().typeName().equals(TYPE)) {
				throw new IllegalStateException("The handler's own");
			}
		}

		@Override
		public void onError(PublicationObservationContext context) {
			this.failures.add(context.getError());
		}

	}

}
