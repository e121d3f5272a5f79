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
package dev.idempotency.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The first use in a running application, where the pool has one connection.
 */
class FirstUseTests {

	private static final JobType<String> GREETING = JobType.of("greeting", String.class);

	private final TestDatabase database = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(TestContexts.LIBRARY)
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class))
		.withPropertyValues("spring.application.name=test", "spring.datasource.url=" + this.database.jdbcUrl(),
				"spring.datasource.username=" + this.database.username(),
				"spring.datasource.password=" + this.database.password(),
				"spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=3000",
				"idempotency.reaper.enabled=false", "idempotency.completer.enabled=false");

	private static void inTransaction(ApplicationContext context, Runnable work) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> work.run());
	}

	private ApplicationContextRunner runner(boolean jpa, String management) {
		ApplicationContextRunner runner = this.contextRunner
			.withPropertyValues("idempotency.schema.management=" + management);
		return jpa ? runner.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class)) : runner;
	}

	private List<String> tables() throws SQLException {
		try (Connection connection = this.database.connect();
				ResultSet tables = connection.getMetaData()
					.getTables(null, null, "idempotency%", new String[] { "TABLE" })) {
			List<String> names = new ArrayList<>();
			while (tables.next()) {
				names.add(tables.getString("TABLE_NAME"));
			}
			return names;
		}
	}

	@ParameterizedTest
	@CsvSource({ "true,flyway", "false,flyway", "true,liquibase", "false,liquibase" })
	void aTransactionThatHasTheOnlyConnectionMakesTheTables(boolean jpa, String management) {
		runner(jpa, management).run((context) -> {
			assertThat(tables()).isEmpty();
			ObjectProvider<StagedJobs> jobs = context.getBeanProvider(StagedJobs.class);
			inTransaction(context, () -> jobs.getObject().stage(GREETING, "hello"));
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(jdbc.queryForObject("select count(*) from idempotency_job where task_name <> ''", Long.class))
				.isEqualTo(1);
			assertThat(context.getBean(IdempotencyOperations.class)
				.execute(IdempotencyRequest.of("test", UUID.randomUUID().toString()), String.class, () -> "done"))
				.isEqualTo("done");
			assertThat(jdbc.queryForObject("select count(*) from idempotency_record", Long.class)).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theTablesAreValidatedWithTheFirstUse(boolean jpa) {
		runner(jpa, "validate").run((context) -> {
			ObjectProvider<StagedJobs> jobs = context.getBeanProvider(StagedJobs.class);
			inTransaction(context,
					() -> assertThatExceptionOfType(BeanCreationException.class).isThrownBy(jobs::getObject)
						.satisfies((failure) -> assertThat(failure)
							.hasStackTraceContaining(InvalidIdempotentException.class.getName()
									+ ": The database of the idempotency records lacks")));
			assertThat(tables()).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theSecretIsCheckedWithTheFirstUseAndAgainAfterItWasRefused(boolean jpa) {
		this.contextRunner.run((context) -> context.getBean(IdempotencyOperations.class));
		runner(jpa, "flyway").withPropertyValues("idempotency.secret.identity=" + "A".repeat(43) + "=")
			.run((context) -> {
				ObjectProvider<IdempotencyOperations> operations = context.getBeanProvider(IdempotencyOperations.class);
				for (int i = 0; i < 2; i++) {
					inTransaction(context,
							() -> assertThatExceptionOfType(BeanCreationException.class)
								.isThrownBy(operations::getObject)
								.satisfies((failure) -> assertThat(failure)
									.hasStackTraceContaining("retries of earlier requests would not be recognised")));
				}
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesThatAreThereAreUsedWithTheFirstUse(boolean jpa) {
		this.contextRunner.run((context) -> context.getBean(StagedJobs.class));
		runner(jpa, "validate").run((context) -> {
			ObjectProvider<StagedJobs> jobs = context.getBeanProvider(StagedJobs.class);
			inTransaction(context, () -> jobs.getObject().stage(GREETING, "hello"));
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForObject("select count(*) from idempotency_job where task_name <> ''", Long.class)).isEqualTo(1);
		});
	}

	@Test
	void aDataSourceThatTellsNothingIsRefusedInATransactionWithWhatToDo() {
		this.contextRunner.withBean(DataSource.class, () -> new Closed(this.database)).run((context) -> {
			ObjectProvider<StagedJobs> jobs = context.getBeanProvider(StagedJobs.class);
			inTransaction(context, () -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(jobs::getObject)
				.satisfies((failure) -> assertThat(failure)
					.hasStackTraceContaining(
							InvalidIdempotentException.class.getName() + ": The tables of the idempotency records")
					.hasStackTraceContaining("Inject IdempotencyOperations")));
			jobs.getObject();
			inTransaction(context, () -> jobs.getObject().stage(GREETING, "hello"));
		});
	}

	/**
	 * A data source of which Spring knows neither the type nor the address.
	 */
	private static final class Closed extends AbstractDataSource {

		private final TestDatabase database;

		Closed(TestDatabase database) {
			this.database = database;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return DriverManager.getConnection(this.database.jdbcUrl(), this.database.username(),
					this.database.password());
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

}
