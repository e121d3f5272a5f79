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
package dev.idempotency.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.SendTo;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.autoconfigure.security.IdempotencySecurityAutoConfiguration;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.phase.Phases;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The output of the failure analyzer for listeners that cannot be protected.
 */
class InvalidListenerTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase()
		.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, RabbitAutoConfiguration.class))
		.withPropertyValues("spring.kafka.listener.auto-startup=false",
				"spring.rabbitmq.listener.simple.auto-startup=false", "spring.kafka.consumer.group-id=test");

	static Stream<Arguments> mistakes() {
		return Stream.of(Arguments.of(Leased.class, "@Idempotent on Leased#on has the mode LEASED", "Remove the mode"),
				Arguments.of(NotKept.class, "@Idempotent on NotKept#on has replay = NONE", "return void"),
				Arguments.of(InPhases.class, "@Idempotent on InPhases#on has a parameter Phases",
						"PhaseOperations.execute"),
				Arguments.of(Asynchronous.class, "returns CompletableFuture, which is not the value itself",
						"Return the value"),
				Arguments.of(MessageReply.class, "@Idempotent on the listener MessageReply#on returns a Message",
						"Return the payload of the reply."),
				Arguments.of(AllRecords.class, "delivers batches, and takes no List.", "Take a List of payloads"),
				Arguments.of(BatchReply.class, "gets batches and has @SendTo", "receive single messages"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> listener, String subject, String action) {
		this.contextRunner.withBean(listener).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidIdempotentFailureAnalyzer(null).analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(subject);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { InOrder.class, AnnotatedClass.class })
	void listenerNeedsKeyOfItsOwnWhereMessagesHaveNone(Class<?> listener) {
		// All that reads a key, but for idempotency-messaging.
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, IdempotencySecurityAutoConfiguration.class))
			.withUserConfiguration(TestContexts.OwnStore.class)
			.withBean(listener)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("has no key, and keys of messages are not read"));
	}

	@Test
	void whatIsInOrderIsAccepted() {
		this.contextRunner.withBean(InOrder.class)
			.withBean(AnnotatedClass.class)
			.withPropertyValues("idempotency.mode=leased")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Leased {

		@Idempotent(mode = Mode.LEASED)
		@KafkaListener(topics = "topic", batch = "true")
		void on(List<String> payloads) {
		}

	}

	static class NotKept {

		@Idempotent(replay = Replay.NONE)
		@RabbitListener(queues = "queue")
		void on(String payload) {
		}

	}

	static class InPhases {

		@Idempotent
		@KafkaListener(topics = "topic")
		void on(String payload, Phases phases) {
		}

	}

	static class Asynchronous {

		@Idempotent
		@RabbitListener(queues = "queue")
		CompletableFuture<String> on(String payload) {
			return CompletableFuture.completedFuture(payload);
		}

	}

	static class MessageReply {

		@Idempotent
		@KafkaListener(topics = "topic")
		Message<String> on(Message<String> message) {
			return message;
		}

	}

	static class AllRecords {

		@Idempotent
		@KafkaListener(topics = "topic", batch = "true")
		void on(ConsumerRecords<String, String> messages) {
		}

	}

	static class BatchReply {

		@Idempotent
		@SendTo("replies")
		@KafkaListener(topics = "topic", batch = "true")
		String on(List<String> payloads) {
			return "reply";
		}

	}

	@Idempotent
	static class AnnotatedClass {

		@KafkaListener(topics = "topic")
		void on(String payload) {
		}

		void other() {
		}

	}

	static class InOrder {

		@Idempotent
		@KafkaListener(topics = "topic")
		void kafka(String payload) {
		}

		@Idempotent
		@KafkaListener(topics = "topic", batch = "true")
		void batch(List<String> payloads) {
		}

		@Idempotent
		@RabbitListener(queues = "queue")
		String rabbit(String payload) {
			return payload;
		}

	}

}
