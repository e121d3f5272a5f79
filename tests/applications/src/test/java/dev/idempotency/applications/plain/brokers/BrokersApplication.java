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
package dev.idempotency.applications.plain.brokers;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * An application with listeners, whose brokers are somewhere else.
 */
@SpringBootApplication
public class BrokersApplication {

	@Component
	static class Payments {

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@KafkaListener(topics = "payments", groupId = "plain")
		void onRecord(String text) {
			this.jdbc.sql("insert into payment (text) values (?)").param(text).update();
		}

		@RabbitListener(queues = "payments")
		void onMessage(String text) {
			this.jdbc.sql("insert into payment (text) values (?)").param(text).update();
		}

	}

}
