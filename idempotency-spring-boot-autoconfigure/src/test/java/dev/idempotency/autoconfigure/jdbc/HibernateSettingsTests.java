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

import java.util.List;
import java.util.Map;

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.boot.model.naming.Identifier;
import org.hibernate.boot.model.naming.PhysicalNamingStrategyStandardImpl;
import org.hibernate.engine.jdbc.env.spi.JdbcEnvironment;
import org.hibernate.mapping.Table;
import org.hibernate.tool.schema.internal.DefaultSchemaFilter;
import org.hibernate.tool.schema.internal.DefaultSchemaFilterProvider;
import org.hibernate.tool.schema.spi.SchemaFilter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.entity.OwnEntity;
import dev.idempotency.store.jpa.IdempotencyRecordRepository;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of the mapped entity beside Hibernate's tools for schemas.
 */
@Tag("O7")
class HibernateSettingsTests {

	private static final TestDatabase DATABASE = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(DATABASE)
		.withUserConfiguration(Entities.class)
		.withPropertyValues("idempotency.reaper.enabled=false");

	@BeforeEach
	void emptyDatabase() {
		DATABASE.execute("drop schema public cascade; create schema public");
	}

	private static List<String> tables() {
		return jdbc().queryForList("select tablename::text from pg_tables where schemaname = 'public'", String.class);
	}

	private static JdbcTemplate jdbc() {
		return new JdbcTemplate(
				new DriverManagerDataSource(DATABASE.jdbcUrl(), DATABASE.username(), DATABASE.password()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "create", "create-drop", "update", "create-only" })
	void theTableIsAsTheScriptsMadeItBeforeAndAfterShutdown(String action) {
		for (int start = 1; start <= 2; start++) {
			this.contextRunner.withPropertyValues("spring.jpa.hibernate.ddl-auto=" + action).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(tables()).contains("own_entity", "idempotency_record");
			});
			assertThat(jdbc().queryForList("select indexname::text from pg_indexes", String.class))
				.contains("idempotency_record_pkey", "idempotency_record_expires_at");
			assertThat(tables()).contains("idempotency_lease");
			assertThat(tables().contains("own_entity")).isEqualTo(!action.equals("create-drop"));
		}
	}

	@Test
	void validateLooksAtTheTablesOfTheApplicationOnly() {
		DATABASE.execute("create table own_entity (id bigint primary key)");
		this.contextRunner
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=validate", "idempotency.schema.management=none")
			.run((context) -> assertThat(context).hasNotFailed());
		DATABASE.execute("drop table own_entity");
		this.contextRunner
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=validate", "idempotency.schema.management=none")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("missing table [own_entity]"));
	}

	@Test
	void theFilterOfTheApplicationIsAskedAsWell() {
		this.contextRunner
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=update",
					"spring.jpa.properties.hibernate.hbm2ddl.schema_filter_provider=" + NoTables.class.getName())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(tables()).doesNotContain("own_entity").contains("idempotency_record");
			});
	}

	@Test
	void theRepositoryFindsTheTableWhateverNamesTheApplicationGivesToItsOwn() {
		this.contextRunner
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=update",
					"spring.jpa.hibernate.naming.physical-strategy=" + Prefixes.class.getName())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(tables()).contains("t_own_entity", "idempotency_record");
				assertThat(context.getBean(IdempotencyRecordRepository.class).count()).isZero();
			});
	}

	@Test
	void theIntegratorsOfTheApplicationStay() {
		this.contextRunner
			.withPropertyValues("spring.jpa.properties.hibernate.integrator_provider=" + Integrators.class.getName())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				Map<String, Object> properties = context.getBean(EntityManagerFactory.class).getProperties();
				assertThat(properties.get("hibernate.integrator_provider")).isInstanceOfSatisfying(
						org.hibernate.jpa.boot.spi.IntegratorProvider.class,
						(provider) -> assertThat(provider.getIntegrators()).hasSize(2));
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = OwnEntity.class)
	static class Entities {

	}

	/**
	 * An application's filter.
	 */
	public static class NoTables extends DefaultSchemaFilterProvider {

		@Override
		public SchemaFilter getMigrateFilter() {
			return new DefaultSchemaFilter() {

				@Override
				public boolean includeTable(Table table) {
					return false;
				}

			};
		}

	}

	/**
	 * An application's names.
	 */
	public static class Prefixes extends PhysicalNamingStrategyStandardImpl {

		@Override
		public Identifier toPhysicalTableName(Identifier name, JdbcEnvironment context) {
			return Identifier.toIdentifier("t_" + name.getText());
		}

		@Override
		public Identifier toPhysicalColumnName(Identifier name, JdbcEnvironment context) {
			return Identifier.toIdentifier("c_" + name.getText());
		}

	}

	/**
	 * An application's integrators.
	 */
	public static class Integrators implements org.hibernate.jpa.boot.spi.IntegratorProvider {

		@Override
		public List<org.hibernate.integrator.spi.Integrator> getIntegrators() {
			return List.of(new org.hibernate.integrator.spi.Integrator() {
			});
		}

	}

}
