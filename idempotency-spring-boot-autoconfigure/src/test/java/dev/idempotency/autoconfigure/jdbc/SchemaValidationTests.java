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
package dev.idempotency.autoconfigure.jdbc;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class SchemaValidationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withPropertyValues("idempotency.reaper.enabled=false", "idempotency.schema.management=validate");

	@BeforeEach
	void migratedDatabase() {
		DATABASE.execute("drop schema public cascade; create schema public");
		TestContexts.with(DATABASE)
			.withPropertyValues("idempotency.outbox.enabled=true")
			.withBean(EventSender.class, () -> mock(EventSender.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void startsWithTheTableThatTheMigrationMakes() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(SchemaManagement.class));
	}

	@Test
	void failsWithoutTheTableAndSaysWhatToRun() {
		DATABASE.execute("drop table idempotency_record");
		this.contextRunner.run((context) -> {
			InvalidIdempotentException failure = failure(context);
			assertThat(failure.getSubject()).contains("lacks: table idempotency_record.");
			assertThat(failure.getAction()).contains("db/idempotency/postgresql",
					"idempotency.schema.management=flyway", "flyway-core", "idempotency.schema.management=liquibase",
					"db/idempotency/liquibase/changelog.xml");
			assertThat(getClass().getClassLoader().getResource("db/idempotency/postgresql")).isNotNull();
		});
	}

	@Test
	void failsWithoutAColumnAndNamesAllThatAreMissing() {
		DATABASE.execute("alter table idempotency_record drop column fingerprint, drop column content");
		this.contextRunner.run((context) -> assertThat(failure(context).getSubject())
			.contains("column idempotency_record.fingerprint, column idempotency_record.content."));
	}

	@Test
	void failsWithoutThePrimaryKeyThatDecidesWhoWins() {
		DATABASE.execute("alter table idempotency_record drop constraint idempotency_record_pkey");
		this.contextRunner.run((context) -> assertThat(failure(context).getSubject())
			.contains("primary key (id) of idempotency_record"));
	}

	@Test
	void failsWithoutWhatLeasesNeed() {
		DATABASE.execute("drop table idempotency_lease; drop sequence idempotency_claim_number");
		this.contextRunner.run((context) -> assertThat(failure(context).getSubject())
			.contains("lacks: table idempotency_lease, sequence idempotency_claim_number."));
	}

	@Test
	void failsWithoutWhatJobsNeed() {
		DATABASE.execute("drop table idempotency_dead_job; alter table idempotency_job drop column staged_at, "
				+ "drop constraint idempotency_job_pkey");
		this.contextRunner.run((context) -> assertThat(failure(context).getSubject())
			.contains("lacks: column idempotency_job.staged_at, primary key (task_name, task_instance) of "
					+ "idempotency_job, table idempotency_dead_job."));
	}

	@Test
	void failsWithoutWhatTheOutboxNeeds() {
		DATABASE
			.execute("alter table idempotency_outbox drop column retry_at, drop constraint idempotency_outbox_pkey");
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withPropertyValues("idempotency.outbox.enabled=true")
			.withBean(EventSender.class, () -> mock(EventSender.class))
			.run((context) -> assertThat(failure(context).getSubject())
				.contains("lacks: column idempotency_outbox.retry_at, primary key (namespace, position) of "
						+ "idempotency_outbox."));
	}

	@Test
	void acceptsAPartitionedTable() {
		DATABASE.execute("""
				alter table idempotency_record rename to plain;
				create table idempotency_record (like plain, primary key (id)) partition by hash (id);
				create table part0 partition of idempotency_record for values with (modulus 1, remainder 0)""");
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void hibernateMakesNoTableOfTheLibrary() {
		DATABASE.execute("drop table idempotency_record");
		this.contextRunner.withPropertyValues("spring.jpa.hibernate.ddl-auto=update")
			.run((context) -> assertThat(failure(context).getSubject()).contains("table idempotency_record"));
	}

	@Test
	void looksAlsoWhereFlywayIsWantedAndNotThere() {
		DATABASE.execute("drop table idempotency_record");
		this.contextRunner.withClassLoader(new FilteredClassLoader(Flyway.class))
			.withPropertyValues("idempotency.schema.management=flyway")
			.run((context) -> assertThat(failure(context).getSubject()).contains("table idempotency_record"));
	}

	@Test
	void isSwitchedOffByItsProperty() {
		DATABASE.execute("drop table idempotency_record");
		this.contextRunner.withPropertyValues("idempotency.schema.management=none")
			.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SchemaManagement.class));
	}

	@Test
	void backsOffWithoutJpa() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withPropertyValues("idempotency.schema.management=validate")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SchemaManagement.class));
	}

	private static InvalidIdempotentException failure(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		while (failure != null && failure.getCause() != null) {
			failure = failure.getCause();
		}
		assertThat(failure).isInstanceOf(InvalidIdempotentException.class);
		return (InvalidIdempotentException) failure;
	}

}
