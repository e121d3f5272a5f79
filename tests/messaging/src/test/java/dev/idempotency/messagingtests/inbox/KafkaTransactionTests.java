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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.persistence.EntityManagerFactory;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.orm.jpa.JpaTransactionManager;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Containers that consume and produce in one transaction of Kafka, around that of the
 * database.
 */
class KafkaTransactionTests {

	private static final TopicPartition REPLIES = new TopicPartition("transactional-replies", 0);

	@Test
	void failureRollsBackBothAndReplyIsSentAgainForDuplicate() {
		TestKafka.createTopic("transactional", 1);
		TestKafka.createTopic("transactional-replies", 1);
		try (Inbox inbox = Inbox.start(Listeners.class, Map.of("spring.kafka.producer.transaction-id-prefix", "tests-",
				"spring.kafka.consumer.isolation-level", "read_committed"))) {
			inbox.bean(KafkaTemplate.class).setAllowNonTransactional(true);
			String id = Inbox.randomId();
			inbox.sendToKafka("transactional", id, "first fails");
			inbox.sendToKafka("transactional", id, "first fails");
			List<String> sent = new ArrayList<>();
			try (Consumer<?, ?> consumer = inbox.bean(ConsumerFactory.class).createConsumer("reader", "test")) {
				consumer.assign(List.of(REPLIES));
				consumer.seekToBeginning(List.of(REPLIES));
				Inbox.await().until(() -> {
					consumer.poll(Duration.ofMillis(100)).forEach((message) -> sent.add((String) message.value()));
					return sent.stream().filter("reply"::equals).count() == 2;
				});
			}
			assertThat(sent).containsExactly("produced", "reply", "reply");
			assertThat(inbox.effects().of("transactional")).containsExactly("first fails");
			assertThat(inbox.effects().calls()).isEqualTo(2);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(TransactionalListener.class)
	static class Listeners {

		@Bean
		@Primary
		JpaTransactionManager transactionManager(EntityManagerFactory entityManagers) {
			return new JpaTransactionManager(entityManagers);
		}

	}

	static class TransactionalListener {

		private final AtomicBoolean failed = new AtomicBoolean();

		private final Effects effects;

		private final KafkaTemplate<String, String> template;

		TransactionalListener(Effects effects, KafkaTemplate<String, String> template) {
			this.effects = effects;
			this.template = template;
		}

		@Idempotent
		@SendTo("transactional-replies")
		@KafkaListener(topics = "transactional", groupId = "transactional")
		String on(String payload) {
			this.effects.add("transactional", payload);
			this.template.send("transactional-replies", "produced");
			if (this.failed.compareAndSet(false, true)) {
				throw new IllegalStateException("the first time");
			}
			return "reply";
		}

	}

}
