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

import java.util.List;

import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application in a separate JVM, whose listeners are compiled from one of two sources.
 */
public final class RollingApplication {

	static final String STARTED = "STARTED";

	static final String LISTENERS = "dev.idempotency.messagingtests.inbox.RollingListeners";

	private RollingApplication() {
	}

	public static void main(String[] arguments) throws ClassNotFoundException {
		Inbox.start(List.of(Sender.class, KafkaErrorHandling.class, Class.forName(LISTENERS),
				Class.forName(LISTENERS + "$Bookings")), List.of(arguments));
		System.out.println(STARTED);
	}

	/**
	 * Sends, and declares the queue.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Sender {

		@Bean
		Queue queue(@Value("${queue}") String name) {
			return new Queue(name);
		}

		@Bean
		RabbitAdmin rabbitAdmin(ConnectionFactory connections) {
			return new RabbitAdmin(connections);
		}

	}

}
