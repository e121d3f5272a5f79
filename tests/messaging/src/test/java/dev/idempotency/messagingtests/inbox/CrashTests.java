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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that is killed after the commit of the database and before the broker
 * knows of it.
 */
@Tag("crash")
class CrashTests {

	private final TestDatabase database = Effects.createDatabase();

	private final Map<String, String> settings = new HashMap<>(Map.of("topic", TestKafka.createTopic(1), "gated-topic",
			TestKafka.createTopic(1), "batch-topic", TestKafka.createTopic(6), "queue", TestRabbit.queueName(),
			"gated-queue", TestRabbit.queueName(), "dead-letters", TestKafka.createTopic(1),
			// A dead consumer holds its partitions no longer than the broker allows at
			// least.
			"spring.kafka.consumer.properties.session.timeout.ms", "6000",
			"spring.kafka.consumer.properties.heartbeat.interval.ms", "1000"));

	@Test
	void recordOfKilledConsumerIsDeliveredAgainAndSkipped() {
		String topic = this.settings.get("topic");
		crash("kafka", (inbox) -> inbox.sendToKafka(topic, "1", "killed"),
				(inbox) -> inbox.sendToKafka(topic, "2", "end"));
	}

	@Test
	void messageOfKilledConsumerIsDeliveredAgainAndSkipped() {
		String queue = this.settings.get("queue");
		crash("rabbit", (inbox) -> inbox.sendToRabbit(queue, "1", "killed"),
				(inbox) -> inbox.sendToRabbit(queue, "2", "end"));
	}

	private void crash(String listener, Consumer<Inbox> message, Consumer<Inbox> end) {
		try (JavaProcess process = JavaProcess.start(MortalApplication.class, arguments())) {
			process.awaitLine(MortalApplication.STARTED);
			try (Inbox sender = Inbox.start(Sender.class, this.database, this.settings)) {
				message.accept(sender);
				assertThat(process.awaitLine(DeliveryCount.PROCESSED)).isEqualTo("killed");
				assertThat(sender.effects().of(listener)).containsExactly("killed");
			}
			process.kill();
		}
		try (Inbox inbox = Inbox.start(ConcurrentListeners.class, this.database, this.settings)) {
			Inbox.await().until(() -> inbox.bean(DeliveryCount.class).of("killed") == 1);
			end.accept(inbox);
			Inbox.await().until(() -> inbox.effects().of(listener).contains("end"));
			assertThat(inbox.effects().of(listener)).containsExactly("killed", "end");
			assertThat(inbox.effects().calls()).isEqualTo(1);
		}
	}

	private List<String> arguments() {
		List<String> arguments = new ArrayList<>(Inbox.arguments(this.database));
		this.settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
		arguments.add("--stop-after=killed");
		return arguments;
	}

	/**
	 * Sends alone.
	 */
	static class Sender {

	}

}
