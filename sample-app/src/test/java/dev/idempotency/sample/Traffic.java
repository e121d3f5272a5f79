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
package dev.idempotency.sample;

import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;

import org.awaitility.Awaitility;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import static dev.idempotency.sample.SampleClient.answer;
import static dev.idempotency.sample.SampleClient.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Traffic of each kind that meters distinguish: answers and refusals, failures of the
 * store, of a provider and of a job, events that a broker takes and that it refuses.
 */
@Lazy
@TestComponent
@Import(TestBroker.class)
class Traffic {

	private static final String PAYMENT = "{\"amountCents\":%d,\"currency\":\"usd\",\"cardToken\":\"%s\"}";

	private static final String VISA = PAYMENT.formatted(700, "tok_visa");

	private static final String RIDE = "{\"originLat\":0.1,\"originLon\":0.1,\"targetLat\":0.2,\"targetLon\":0.2}";

	private final SampleClient client;

	private final DataSource dataSource;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final Outbox outbox;

	Traffic(SampleClient client, DataSource dataSource, JdbcTemplate jdbc, TransactionTemplate transaction,
			Outbox outbox) {
		this.client = client;
		this.dataSource = dataSource;
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.outbox = outbox;
	}

	/**
	 * A payment, its replay, a ride with a job, and an event.
	 */
	void usual() {
		String key = newKey();
		pay(key, VISA, 201);
		pay(key, VISA, 201);
		ride(newKey(), 201);
		publish("rides", newKey());
	}

	void ofEachKind() throws Exception {
		usual();
		String key = newKey();
		pay(key, VISA, 201);
		pay(key, PAYMENT.formatted(701, "tok_visa"), 422);
		pay(newKey(), PAYMENT.formatted(700, "tok_unavailable"), 503);
		sendADuplicateWhileTheFirstIsRunning();
		without("idempotency_record", () -> pay(newKey(), VISA, 503));
		failAJob("select count(*) from idempotency_job where consecutive_failures > 0");
		publish(TestBroker.REFUSED, newKey());
	}

	/**
	 * Leaves work for an operator: a ride that the completer gives up, and a job that
	 * dies.
	 */
	void givenUp() {
		provider("unavailable");
		ride(newKey(), 503);
		awaitRows("select count(*) from idempotency_lease where stuck_at is not null");
		provider("none");
		failAJob("select count(*) from idempotency_dead_job");
	}

	void failAJob(String failed) {
		without("receipt", () -> {
			ride(newKey(), 201);
			awaitRows(failed);
		});
	}

	private void awaitRows(String count) {
		Awaitility.await().until(() -> this.jdbc.queryForObject(count, Long.class) > 0);
	}

	private void ride(String key, int status) {
		assertThat(answer(this.client.post("alice", "/rides", key, RIDE)).status()).isEqualTo(status);
	}

	private void pay(String key, String payment, int status) {
		assertThat(answer(this.client.post("alice", "/payments", key, payment)).status()).isEqualTo(status);
	}

	void publish(String destination, String key) {
		this.transaction.executeWithoutResult((status) -> this.outbox
			.publish(OutboxMessage.to(destination, "an event").withKey(key).withType("test")));
	}

	private void provider(String mode) {
		this.client.request("ops", HttpMethod.PUT, "/provider/faults")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"mode\":\"" + mode + "\"}")
			.exchange()
			.expectStatus()
			.is2xxSuccessful();
	}

	private void without(String table, Runnable work) {
		this.jdbc.execute("alter table " + table + " rename to " + table + "_away");
		try {
			work.run();
		}
		finally {
			this.jdbc.execute("alter table " + table + "_away rename to " + table);
		}
	}

	void sendADuplicateWhileTheFirstIsRunning() throws Exception {
		String key = newKey();
		CompletableFuture<Void> first;
		try (Connection blocker = this.dataSource.getConnection(); Statement statement = blocker.createStatement()) {
			blocker.setAutoCommit(false);
			statement.execute("lock table payment in exclusive mode");
			first = CompletableFuture.runAsync(() -> pay(key, VISA, 201));
			awaitRows("select count(*) from pg_locks where relation = 'payment'::regclass and not granted");
			pay(key, VISA, 409);
			blocker.rollback();
		}
		first.get(60, TimeUnit.SECONDS);
	}

}
