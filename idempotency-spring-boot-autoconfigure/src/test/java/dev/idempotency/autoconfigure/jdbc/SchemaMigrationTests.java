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

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("O7")
class SchemaMigrationTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withPropertyValues("idempotency.reaper.enabled=false");

	@BeforeEach
	void emptyDatabase() {
		DATABASE.execute("drop schema public cascade; create schema public");
	}

	private static boolean hasTable(ApplicationContext context, String name) {
		return Boolean.TRUE.equals(new JdbcTemplate(context.getBean(DataSource.class))
			.queryForObject("select to_regclass(?) is not null", Boolean.class, name));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theFirstStartWarnsOfNothing(CapturedOutput output) {
		this.contextRunner.run((context) -> assertThat(hasTable(context, "idempotency_record")).isTrue());
		assertThat(output).contains("idempotency_schema_history").doesNotContain("WARN");
	}

	@Test
	void migratesWithAHistoryOfItsOwnAndWithoutAFlywayBean() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Flyway.class);
			assertThat(hasTable(context, "idempotency_record")).isTrue();
			assertThat(hasTable(context, "idempotency_schema_history")).isTrue();
			assertThat(hasTable(context, "flyway_schema_history")).isFalse();
		});
	}

	@Test
	void leavesTheFlywayOfTheApplicationAlone() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class)).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(Flyway.class);
			assertThat(context.getBean(Flyway.class).getConfiguration().getTable()).isEqualTo("flyway_schema_history");
			assertThat(hasTable(context, "idempotency_record")).isTrue();
		});
	}

	@Test
	void migratesASchemaThatHoldsOtherTablesAndDoesNothingTheSecondTime() {
		DATABASE.execute("create table business (id int)");
		this.contextRunner.run((context) -> assertThat(hasTable(context, "idempotency_record")).isTrue());
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void isSwitchedOffByItsProperty() {
		this.contextRunner.withPropertyValues("idempotency.schema.management=none").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(hasTable(context, "idempotency_record")).isFalse();
		});
	}

	@Test
	void checksTheTablesWithoutFlyway() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(Flyway.class))
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("lacks: table idempotency_record"));
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withClassLoader(new FilteredClassLoader(Flyway.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void backsOffWithoutADataSource() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SchemaManagement.class));
	}

}
