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

import org.hibernate.Interceptor;
import org.hibernate.Transaction;
import org.hibernate.cfg.AvailableSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The record goes with the COMMIT, in one message. Whatever else writes while a
 * transaction commits has to be part of it, and so has what fails then.
 */
@Tag("postgresql")
@Tag("X11")
@Tag("jpa")
class CommitWithRecordTests {

	private static RunningApplication application;

	private static RunningApplication intercepted;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(CommittedPayments.class);
		intercepted = RunningApplication.start(List.of(CommittedPayments.class, InterceptedSessions.class));
	}

	@AfterAll
	static void stop() {
		intercepted.close();
		application.close();
	}

	@Test
	void rowsOfCallbacksOfTheCommitAreCommittedWithTheRecord() {
		assertStoredOnce(application, "/callbacks", "written", 3);
	}

	@Test
	void aCallbackThatFailsLateInTheCommitLeavesNeitherRowsNorARecord() {
		assertNothingStays(application, "/callbacks", "refused");
	}

	@Test
	void rowsOfASynchronizationBeforeTheCommitAreCommittedWithTheRecord() {
		assertStoredOnce(application, "/synchronization", "synchronized", 2);
	}

	@Test
	@Tag("X33")
	void rowsOfASynchronizationOfTheSessionAreCommittedWithTheRecord() {
		assertStoredOnce(application, "/local-synchronization", "local", 2);
		assertStoredOnce(application, "/late-local-synchronization", "late-local", 3);
	}

	@Test
	@Tag("X33")
	void aSynchronizationOfTheSessionThatFailsLeavesNeitherRowsNorARecord() {
		assertNothingStays(application, "/local-synchronization", "refused");
		assertNothingStays(application, "/late-local-synchronization", "refused");
	}

	@Test
	void rowsOfAnInterceptorOfTheSessionAreCommittedWithTheRecord() {
		assertStoredOnce(intercepted, "/plain", "intercepted", 2);
	}

	/**
	 * Only a record that came past the lock can be there: of a version with another lock,
	 * or put there by hand.
	 */
	@Test
	void anAnswerThatSomebodyElseHasStoredMeanwhileIsTheAnswer() {
		application.jdbc().execute("create table kept as select * from idempotency_record with no data");
		var first = application.post(ALICE, "/overtaken", "late", Labelled.json("late"));
		assertOriginal(first, 201);
		application.jdbc().execute("""
				with stored as (delete from idempotency_record where operation = 'POST /overtaken' returning *)
				insert into kept select * from stored""");
		assertReplay(application.post(ALICE, "/overtaken", "late", Labelled.json("late")), first);
		assertThat(application.effects("late")).isEqualTo(1);
	}

	/**
	 * The same SQL state, and a text that quotes the table of the records: what the
	 * server says in words decides nothing, in no language.
	 */
	@ParameterizedTest
	@CsvSource({ "23502, null value in column \"expires_at\" of relation \"idempotency_record\"",
			"23505, duplicate key value violates unique constraint \"idempotency_record_pkey\"" })
	@Tag("X27")
	void aTriggerOfTheCommitWhoseErrorReadsLikeThatOfARecordIsAFailureOfItsOwn(String state, String message) {
		application.jdbc()
			.execute("""
					drop table if exists checked;
					create table checked (name text);
					create or replace function check_late() returns trigger language plpgsql as $$
					begin
						raise exception '%s' using errcode = '%s';
					end $$;
					create constraint trigger late after insert on checked
						deferrable initially deferred for each row execute function check_late()""".formatted(message,
					state));
		assertNothingStays(application, "/checked", "checked" + state);
	}

	private static void assertStoredOnce(RunningApplication application, String path, String label, long effects) {
		var first = application.post(ALICE, path, label, Labelled.json(label));
		assertOriginal(first, 201);
		assertReplay(application.post(ALICE, path, label, Labelled.json(label)), first);
		assertThat(application.effects(label)).isEqualTo(effects);
		assertThat(application.jdbc()
			.queryForList("""
					select distinct xmin::text from effect where label = ?
					union
					select xmin::text from (select xmin from idempotency_record order by finished_at desc limit 1)""",
					String.class, label))
			.hasSize(1);
	}

	private static void assertNothingStays(RunningApplication application, String path, String label) {
		long records = application.records();
		assertOriginal(application.post(ALICE, path, label + path, Labelled.json(label)), 500);
		assertThat(application.effects(label)).isZero();
		assertThat(application.records()).isEqualTo(records);
	}

	@Configuration(proxyBeanMethods = false)
	static class InterceptedSessions {

		@Bean
		HibernatePropertiesCustomizer auditing(JdbcTemplate jdbc) {
			return (properties) -> properties.put(AvailableSettings.INTERCEPTOR, new Auditing(jdbc));
		}

	}

	/**
	 * Writes at the last moment that Hibernate gives to an application.
	 */
	static class Auditing implements Interceptor {

		private final JdbcTemplate jdbc;

		Auditing(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Override
		public void beforeTransactionCompletion(Transaction transaction) {
			this.jdbc.update("""
					insert into effect (id, label) select gen_random_uuid(), label from effect
					where label = 'intercepted' limit 1""");
		}

	}

}
