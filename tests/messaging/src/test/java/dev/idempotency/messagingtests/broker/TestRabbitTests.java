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

import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TestRabbit}.
 */
class TestRabbitTests {

	@Test
	void sentMessageIsReceived() {
		CachingConnectionFactory connections = new CachingConnectionFactory("localhost", TestRabbit.port());
		RabbitTemplate template = new RabbitTemplate(connections);
		String queue = TestRabbit.queueName();
		new RabbitAdmin(template).declareQueue(new Queue(queue));
		template.convertAndSend(queue, "hello");
		assertThat(template.receiveAndConvert(queue, 30_000)).isEqualTo("hello");
		connections.destroy();
	}

}
