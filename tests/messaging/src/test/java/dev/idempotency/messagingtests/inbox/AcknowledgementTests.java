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

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import com.rabbitmq.client.Channel;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.Idempotent;
import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listeners that acknowledge messages themselves, in a transaction that their container
 * has begun, whose first commit fails.
 */
@Tag("M3")
class AcknowledgementTests {

	private static final String TOPIC = TestKafka.createTopic(1);

	private static final String QUEUE = TestRabbit.queueName();

	private static Inbox inbox;

	@BeforeAll
	static void start() {
		inbox = Inbox.start(Application.class, Map.of("topic", TOPIC, "queue", QUEUE));
	}

	@AfterAll
	static void stop() {
		inbox.close();
	}

	@Test
	void kafkaIsNotToldBeforeTheOutermostCommit() {
		inbox.sendToKafka(TOPIC, "1", "kafka");
		Inbox.await().until(() -> inbox.effects().of("kafka").contains("kafka"));
		assertThat(inbox.bean(Listeners.class).acknowledgedEarly()).isEmpty();
		try (Consumer<?, ?> consumer = inbox.bean(ConsumerFactory.class).createConsumer("outer", "test")) {
			Inbox.await().until(() -> isCommitted(consumer, new TopicPartition(TOPIC, 0), 0));
		}
	}

	@Test
	void messageOfFailedOutermostCommitIsNotGone() {
		inbox.sendToRabbit(QUEUE, "1", "rabbit");
		Inbox.await().until(() -> inbox.effects().of("rabbit").contains("rabbit"));
		inbox.sendToRabbit(QUEUE, "1", "rabbit");
		inbox.sendToRabbit(QUEUE, "2", "end");
		Inbox.await().until(() -> inbox.effects().of("rabbit").contains("end"));
		assertThat(inbox.effects().of("rabbit")).containsExactly("rabbit", "end");
	}

	@Test
	void channelIsAProxyOfSpringAsItIsWithoutTheLibrary() {
		inbox.sendToRabbit(QUEUE, "3", "proxy");
		Inbox.await().until(() -> inbox.effects().of("rabbit").contains("proxy"));
		assertThat(inbox.bean(Listeners.class).others()).isEmpty();
	}

	private static boolean isCommitted(Consumer<?, ?> consumer, TopicPartition partition, long offset) {
		OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
		return committed != null && committed.offset() > offset;
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Listeners.class)
	static class Application {

		@Bean
		Queue queue() {
			return new Queue(QUEUE);
		}

		@Bean
		RabbitAdmin rabbitAdmin(ConnectionFactory connections) {
			return new RabbitAdmin(connections);
		}

		@Bean
		ConcurrentKafkaListenerContainerFactory<Object, Object> outerKafka(ConsumerFactory<Object, Object> consumers,
				PlatformTransactionManager transactionManager) {
			ConcurrentKafkaListenerContainerFactory<Object, Object> factory = new ConcurrentKafkaListenerContainerFactory<>();
			factory.setConsumerFactory(consumers);
			factory.getContainerProperties().setAckMode(AckMode.MANUAL_IMMEDIATE);
			factory.getContainerProperties().setAdviceChain(around(transactionManager));
			return factory;
		}

		@Bean
		SimpleRabbitListenerContainerFactory outerRabbit(ConnectionFactory connections,
				PlatformTransactionManager transactionManager) {
			SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
			factory.setConnectionFactory(connections);
			factory.setAdviceChain(around(transactionManager));
			return factory;
		}

		private static TransactionInterceptor around(PlatformTransactionManager transactionManager) {
			TransactionInterceptor interceptor = new TransactionInterceptor();
			interceptor.setTransactionManager(transactionManager);
			interceptor.setTransactionAttributeSource(new MatchAlwaysTransactionAttributeSource());
			return interceptor;
		}

	}

	static class Listeners {

		private final Set<String> failed = ConcurrentHashMap.newKeySet();

		private final Set<Object> acknowledgedEarly = ConcurrentHashMap.newKeySet();

		private final List<Channel> others = new CopyOnWriteArrayList<>();

		private final Effects effects;

		Listeners(Effects effects) {
			this.effects = effects;
		}

		Set<Object> acknowledgedEarly() {
			return this.acknowledgedEarly;
		}

		List<Channel> others() {
			return this.others;
		}

		@Idempotent
		@KafkaListener(topics = "${topic}", groupId = "outer", containerFactory = "outerKafka")
		void kafka(ConsumerRecord<String, String> message, Acknowledgment acknowledgment, Consumer<?, ?> consumer) {
			this.effects.add("kafka", message.value());
			acknowledgment.acknowledge();
			failFirstCommit(message.value(), () -> {
				if (isCommitted(consumer, new TopicPartition(message.topic(), message.partition()), message.offset())) {
					this.acknowledgedEarly.add(message.value());
				}
			});
		}

		@Idempotent
		@RabbitListener(queues = "${queue}", containerFactory = "outerRabbit", ackMode = "MANUAL")
		void rabbit(String payload, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) throws IOException {
			if (!(channel instanceof ChannelProxy)) {
				this.others.add(channel);
			}
			this.effects.add("rabbit", payload);
			channel.basicAck(tag, false);
			failFirstCommit(payload, () -> {
			});
		}

		private void failFirstCommit(String payload, Runnable before) {
			if (!this.failed.add(payload)) {
				return;
			}
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					before.run();
					throw new IllegalStateException("the first commit of " + payload);
				}

			});
		}

	}

}
