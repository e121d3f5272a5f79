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
package dev.idempotency.messagingtests.broker;

import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.NewTopic;

import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * A real Kafka broker on a free port of the loopback interface, started by the first use
 * and shared by the whole JVM.
 */
public final class TestKafka {

	private TestKafka() {
	}

	/**
	 * Returns the address for clients.
	 * @return the value of {@code bootstrap.servers}
	 */
	public static String bootstrapServers() {
		return SharedBroker.INSTANCE.getBrokersAsString();
	}

	/**
	 * Creates a topic with a unique name.
	 * @param partitions the number of its partitions
	 * @return its name
	 */
	public static String createTopic(int partitions) {
		String name = "topic-" + UUID.randomUUID();
		createTopic(name, partitions);
		return name;
	}

	/**
	 * Creates a topic.
	 * @param name its name
	 * @param partitions the number of its partitions
	 */
	public static void createTopic(String name, int partitions) {
		SharedBroker.INSTANCE.addTopics(new NewTopic(name, partitions, (short) 1));
	}

	/**
	 * Settings of a client.
	 * @return a map with the address of the broker
	 */
	public static Map<String, Object> clientSettings() {
		return Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
	}

	/**
	 * Starts when it is first touched.
	 */
	private static final class SharedBroker {

		static final EmbeddedKafkaKraftBroker INSTANCE = start();

		private static EmbeddedKafkaKraftBroker start() {
			EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
			// Applications say themselves where their broker is.
			broker.brokerListProperty("idempotency.test.kafka");
			broker.brokerProperties(Map.of("transaction.state.log.replication.factor", "1",
					"transaction.state.log.min.isr", "1", "auto.create.topics.enable", "false"));
			broker.afterPropertiesSet();
			Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy, "kafka-shutdown"));
			return broker;
		}

	}

}
