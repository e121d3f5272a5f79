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

import java.util.List;

import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.testsupport.TestDatabase;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The place of the tables, and the tool that creates them.
 */
@Tag("O7")
class IdempotencySchemaNamesTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private static final String RUNTIME = "runtime_" + System.nanoTime();

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[0]);

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withPropertyValues("idempotency.reaper.enabled=false", "idempotency.completer.enabled=false");

	@BeforeEach
	void emptyDatabase() {
		DATABASE.execute("drop schema if exists app cascade; drop schema public cascade; create schema public; "
				+ "create schema app");
	}

	private static List<String> tables(String schema) {
		return jdbc().queryForList("select tablename::text from pg_tables where schemaname = ?", String.class, schema);
	}

	private static JdbcTemplate jdbc() {
		return new JdbcTemplate(dataSource());
	}

	private static DataSource dataSource() {
		return new DriverManagerDataSource(DATABASE.jdbcUrl(), DATABASE.username(), DATABASE.password());
	}

	private void assertWorksIn(String schema, String... properties) {
		this.contextRunner.withPropertyValues(properties).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(tables(schema)).contains("idempotency_record", "idempotency_lease", "idempotency_job",
					"idempotency_schema_history");
			assertThat(tables(schema.equals("app") ? "public" : "app")).isEmpty();
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			FinishedRecord record = new FinishedRecord(IDENTITY, "test", new byte[32],
					new EncodedResponse(200, new byte[] { 1 }), ofHours(1));
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					assertThat(store.acquire(IDENTITY)).isInstanceOf(ClaimResult.Acquired.class);
					assertThat(store.finishWithCommit(record)).isTrue();
				});
			assertThat(store.probe(IDENTITY)).isInstanceOf(StoredRecord.class);
			assertThat(context.getBean(OperatorStore.class).find(IDENTITY)).isPresent();
			assertThat(store.deleteExpired(10)).isZero();
			assertThat(context.getBean(OperatorStore.class).overview().running()).isZero();
			assertThat(context).hasSingleBean(IdempotencyOperations.class);
			jdbc().update("delete from " + schema + ".idempotency_record");
		});
		this.contextRunner.withPropertyValues(properties)
			.withPropertyValues("idempotency.schema.management=validate")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theTablesAreInTheSchemaThatThePropertyNames() {
		assertWorksIn("app", "idempotency.schema.name=app");
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.jpa.properties.hibernate.default_schema=app", "spring.flyway.default-schema=app",
			"spring.flyway.schemas=app,other", "spring.liquibase.default-schema=app" })
	void theTablesAreWhereTheApplicationSaysThatItsOwnAre(String property) {
		assertWorksIn("app", property);
	}

	@Test
	void liquibaseMakesTheSameTablesInTheSameSchema() {
		for (int start = 1; start <= 2; start++) {
			this.contextRunner
				.withPropertyValues("idempotency.schema.management=liquibase", "idempotency.schema.name=app")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(tables("app"))
						.contains("idempotency_record", "idempotency_lease", "idempotency_job", "idempotency_changelog")
						.doesNotContain("idempotency_outbox", "idempotency_schema_history");
					assertThat(tables("public")).isEmpty();
				});
		}
		this.contextRunner.withPropertyValues("idempotency.schema.management=validate", "idempotency.schema.name=app")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aSchemaThatNeedsQuotesIsRefused() {
		this.contextRunner.withPropertyValues("spring.flyway.default-schema=my app")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidIdempotentException.class)
				.hasMessageContaining("'my app', which spring.flyway.default-schema names"));
		this.contextRunner.withPropertyValues("idempotency.schema.name=x; drop table y")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("idempotency.schema.name"));
	}

	private ApplicationContextRunner asRuntimeUser() {
		DATABASE.execute("drop role if exists " + RUNTIME + "; create role " + RUNTIME + " login password 'runtime'; "
				+ "grant usage on schema public to " + RUNTIME
				+ "; alter default privileges in schema public grant all on tables to " + RUNTIME
				+ "; alter default privileges in schema public grant all on sequences to " + RUNTIME);
		return this.contextRunner.withPropertyValues("spring.datasource.username=" + RUNTIME,
				"spring.datasource.password=runtime");
	}

	private void dropRuntimeUser() {
		DATABASE.execute("drop owned by " + RUNTIME + "; drop role " + RUNTIME);
	}

	@ParameterizedTest
	@ValueSource(strings = { "flyway", "liquibase" })
	void theToolsOwnUserMakesTheTables(String tool) {
		try {
			asRuntimeUser().withPropertyValues("idempotency.schema.management=" + tool).run((context) -> {
				assertThat(context).getFailure().hasStackTraceContaining("permission denied");
				FailureAnalysis analysis = InvalidOperationTests.analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("could not be created", "permission denied");
				assertThat(analysis.getAction()).contains("spring." + tool + ".user");
			});
			asRuntimeUserAgain()
				.withPropertyValues("idempotency.schema.management=" + tool,
						"spring." + tool + ".user=" + DATABASE.username(),
						"spring." + tool + ".password=" + DATABASE.password())
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context.getBean(IdempotencyStore.class).deleteExpired(1)).isZero();
				});
		}
		finally {
			dropRuntimeUser();
		}
	}

	private ApplicationContextRunner asRuntimeUserAgain() {
		return this.contextRunner.withPropertyValues("spring.datasource.username=" + RUNTIME,
				"spring.datasource.password=runtime");
	}

	@Test
	void anAddressOfFlywayCountsWithItsUser() {
		try {
			asRuntimeUser()
				.withPropertyValues("spring.flyway.url=" + DATABASE.jdbcUrl(),
						"spring.flyway.user=" + DATABASE.username(), "spring.flyway.password=" + DATABASE.password())
				.run((context) -> assertThat(context).hasNotFailed());
		}
		finally {
			dropRuntimeUser();
		}
	}

	@Test
	void aDataSourceOfFlywayIsTaken() {
		try {
			asRuntimeUser().withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
				.withUserConfiguration(OwnFlywayDataSource.class)
				.run((context) -> assertThat(context).hasNotFailed());
		}
		finally {
			dropRuntimeUser();
		}
	}

	@org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
	static class OwnFlywayDataSource {

		@org.springframework.context.annotation.Bean(defaultCandidate = false)
		@org.springframework.boot.flyway.autoconfigure.FlywayDataSource
		DataSource migrationDataSource() {
			return dataSource();
		}

	}

}
