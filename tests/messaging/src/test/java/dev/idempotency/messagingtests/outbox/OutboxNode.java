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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.messagingtests.broker.TestKafka;
import dev.idempotency.messagingtests.broker.TestRabbit;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A running application with an outbox, and a table of what has happened.
 */
record OutboxNode(ConfigurableApplicationContext context) implements AutoCloseable {

	/**
	 * The other broker need not be there: to start it takes long, and may fail.
	 */
	private static String address(String broker) {
		return switch (broker) {
			case "kafka" -> "spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers();
			case "rabbit" -> "spring.rabbitmq.port=" + TestRabbit.port();
			default -> throw new IllegalArgumentException("Neither kafka nor rabbit: " + broker);
		};
	}

	static OutboxNode onKafka(TestDatabase database, String... properties) {
		return start(database, List.of(), "kafka", properties);
	}

	static OutboxNode onRabbit(TestDatabase database, String... properties) {
		return start(database, List.of(), "rabbit", properties);
	}

	static OutboxNode start(TestDatabase database, List<Class<?>> sources, String broker, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Application.class);
		return new OutboxNode(new SpringApplicationBuilder(all.toArray(new Class<?>[0])).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.application.name=outbox-tests",
					"spring.flyway.enabled=false", "spring.datasource.url=" + database.jdbcUrl(),
					"spring.datasource.username=" + database.username(),
					"spring.datasource.password=" + database.password(), address(broker),
					"idempotency.outbox.enabled=true", "idempotency.outbox.broker=" + broker,
					"idempotency.outbox.polling-interval=100ms", "idempotency.outbox.send-timeout=2s")
			.properties(properties)
			.run());
	}

	static TestDatabase database() {
		TestDatabase database = TestDatabase.create();
		database.execute("create table happened (label text not null)");
		return database;
	}

	Outbox outbox() {
		return this.context.getBean(Outbox.class);
	}

	JdbcTemplate jdbc() {
		return this.context.getBean(JdbcTemplate.class);
	}

	/**
	 * Runs an action, and commits it.
	 */
	<T> T commit(Supplier<T> work) {
		T result = transaction().execute((status) -> work.get());
		if (result == null) {
			throw new IllegalStateException("No result");
		}
		return result;
	}

	/**
	 * Publishes an event in a separate transaction.
	 * @return its id
	 */
	String publish(String destination, String key, Object payload) {
		return publish(event(destination, key, payload));
	}

	/**
	 * An event whose payload is of any type.
	 */
	static OutboxMessage event(String destination, String key, Object payload) {
		return OutboxMessage.to(destination, payload).withKey(key).withType("test");
	}

	String publish(OutboxMessage message) {
		return commit(() -> outbox().publish(message));
	}

	/**
	 * Returns the age of the oldest transaction of the relay that waits for its broker.
	 */
	Duration openTransaction() {
		Double seconds = jdbc().queryForObject("""
				select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0) from pg_stat_activity
				where datname = current_database() and state like 'idle in transaction%'""", Double.class);
		return Duration.ofMillis((seconds != null) ? (long) (seconds * 1000) : -1);
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
	}

	/**
	 * Returns the number of events that are not relayed.
	 */
	long staged() {
		Long count = jdbc().queryForObject("select count(*) from idempotency_outbox", Long.class);
		return (count != null) ? count : -1;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
