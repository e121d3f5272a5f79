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
package dev.idempotency.conformance.lease;

import java.net.http.HttpResponse;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Transactions under a lease that are longer than several heartbeats, at each isolation
 * of the handler and with each default of the server.
 */
@Tag("postgresql")
@Tag("X38")
class LongTransactionTests {

	private static final Gates GATES = new Gates();

	@ParameterizedTest
	@ValueSource(strings = { "read committed", "repeatable read", "serializable" })
	void aTransactionThatIsLongerThanAHeartbeatCommits(String byDefault) {
		TestDatabase database = MigratedDatabase.create();
		database.execute("""
				do $$ begin
					execute format('alter database %%I set default_transaction_isolation = %%L',
						current_database(), '%s');
				end $$""".formatted(byDefault));
		try (RunningApplication application = RunningApplication.start(database, List.of(Handlers.class),
				"idempotency.lease.duration=1500ms", "idempotency.completer.enabled=false",
				"idempotency.reaper.enabled=false")) {
			assertCommits(application, byDefault, "/handler");
			for (Isolation isolation : Isolation.values()) {
				assertCommits(application, byDefault, "/service/" + isolation);
				assertCommits(application, byDefault, "/phase/" + isolation);
			}
		}
	}

	private static void assertCommits(RunningApplication application, String byDefault, String path) {
		String key = (byDefault + path).replace(' ', '-');
		CompletableFuture<HttpResponse<byte[]>> owner = Parallel.start(() -> application.post(path, key));
		GATES.awaitReached(key);
		Instant reached = now(application);
		await().until(() -> now(application).isAfter(reached.plusMillis(1100)));
		GATES.open(key);
		HttpResponse<byte[]> first = owner.join();
		assertOriginal(first, 201);
		assertReplay(application.post(path, key), first);
		assertThat(application.effects(key)).isEqualTo(1);
	}

	private static Instant now(RunningApplication application) {
		return application.jdbc().queryForObject("select clock_timestamp()", Timestamp.class).toInstant();
	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	@Idempotent(mode = Mode.LEASED)
	static class Handlers {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		private final PlatformTransactionManager transactionManager;

		Handlers(Effects effects, JdbcTemplate jdbc, PlatformTransactionManager transactionManager) {
			this.effects = effects;
			this.jdbc = jdbc;
			this.transactionManager = transactionManager;
		}

		@Transactional
		@PostMapping("/handler")
		public Map<String, Object> handler(@RequestBody Labelled body) {
			return work(body);
		}

		@PostMapping("/service/{isolation}")
		Map<String, Object> service(@PathVariable Isolation isolation, @RequestBody Labelled body) {
			TransactionTemplate transactions = new TransactionTemplate(this.transactionManager);
			transactions.setIsolationLevel(isolation.value());
			return transactions.execute((status) -> work(body));
		}

		@PostMapping("/phase/{isolation}")
		Map<String, Object> phase(@PathVariable Isolation isolation, @RequestBody Labelled body, Phases phases) {
			phases.isolatedAt(isolation).atomic("long", () -> {
				work(body);
			});
			return phases.finish(() -> Map.of("label", body.label()));
		}

		private Map<String, Object> work(Labelled body) {
			Object id = this.effects.recordAndFlush(body.label()).getId();
			this.jdbc.queryForObject("select count(*) from effect where label = ?", Long.class, body.label());
			GATES.pass(body.label());
			return Map.of("id", id);
		}

	}

}
