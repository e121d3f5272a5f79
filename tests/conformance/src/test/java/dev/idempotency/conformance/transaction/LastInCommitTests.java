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
package dev.idempotency.conformance.transaction;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever the application has registered with Spring to run last before a commit is part
 * of the commit of the rows and the record, over JPA and over plain JDBC.
 */
@Tag("postgresql")
@Tag("X33")
class LastInCommitTests {

	private static RunningApplication application;

	private static RunningApplication listening;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Payments.class);
		listening = RunningApplication.start(List.of(Payments.class, Listening.class));
	}

	@AfterAll
	static void stop() {
		listening.close();
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/before-completion", "/registered-late" })
	void rowsOfASynchronizationAreCommittedWithTheRecord(String path) {
		assertStoredOnce(application, path, "written" + path);
	}

	@Test
	void rowsOfAListenerOfTheTransactionManagerAreCommittedWithTheRecord() {
		assertStoredOnce(listening, "/plain", "listened");
	}

	@Test
	void aListenerOfTheTransactionManagerThatFailsLeavesNeitherRowsNorARecord() {
		long records = listening.records();
		assertOriginal(listening.post(ALICE, "/plain", "refused", Labelled.json("refused")), 500);
		assertThat(listening.effects("refused")).isZero();
		assertThat(listening.records()).isEqualTo(records);
	}

	private static void assertStoredOnce(RunningApplication application, String path, String label) {
		var first = application.post(ALICE, path, label, Labelled.json(label));
		assertOriginal(first, 201);
		assertReplay(application.post(ALICE, path, label, Labelled.json(label)), first);
		assertThat(application.effects(label)).isEqualTo(2);
		assertThat(application.jdbc()
			.queryForList("""
					select distinct xmin::text from effect where label = ?
					union
					select xmin::text from (select xmin from idempotency_record order by finished_at desc limit 1)""",
					String.class, label))
			.hasSize(1);
	}

	@RestController
	static class Payments {

		private final Effects effects;

		private final JdbcTemplate jdbc;

		Payments(Effects effects, JdbcTemplate jdbc) {
			this.effects = effects;
			this.jdbc = jdbc;
		}

		@Idempotent
		@PostMapping("/plain")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> plain(@RequestBody Labelled payment) {
			return record(payment);
		}

		@Idempotent
		@PostMapping("/before-completion")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> beforeCompletion(@RequestBody Labelled payment) {
			writeBeforeCompletion(payment);
			return record(payment);
		}

		@Idempotent
		@PostMapping("/registered-late")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> registeredLate(@RequestBody Labelled payment) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					writeBeforeCompletion(payment);
				}

			});
			return record(payment);
		}

		private void writeBeforeCompletion(Labelled payment) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCompletion() {
					insert(Payments.this.jdbc, payment.label());
				}

			});
		}

		private Map<String, Object> record(Labelled payment) {
			return Map.of("id", this.effects.recordAndFlush(payment.label()).getId());
		}

	}

	static void insert(JdbcTemplate jdbc, String label) {
		jdbc.update("insert into effect (id, label) values (gen_random_uuid(), ?)", label);
	}

	@Configuration(proxyBeanMethods = false)
	static class Listening {

		/**
		 * Writes an audit row for the effects of its transaction.
		 */
		@Bean
		TransactionExecutionListener auditing(ObjectProvider<JdbcTemplate> jdbc) {
			return new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					List<String> labels = jdbc.getObject()
						.queryForList(
								"select label from effect where xmin::text = pg_current_xact_id_if_assigned()::text",
								String.class);
					labels.forEach((label) -> insert(jdbc.getObject(), label));
					if (labels.contains("refused")) {
						throw new IllegalStateException("refused");
					}
				}

			};
		}

	}

}
