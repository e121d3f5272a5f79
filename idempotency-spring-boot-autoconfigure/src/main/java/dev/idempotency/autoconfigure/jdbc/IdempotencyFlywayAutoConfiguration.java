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
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

/**
 * The library's migrations by Flyway. Spring Boot's support for Flyway is not needed, and
 * not switched on.
 */
@AutoConfiguration(after = IdempotencyJdbcAutoConfiguration.class)
@ConditionalOnClass(Flyway.class)
@ConditionalOnProperty(name = "idempotency.schema.management", havingValue = "flyway", matchIfMissing = true)
@SchemaMigrations.Configuration
public final class IdempotencyFlywayAutoConfiguration {

	private static final String QUALIFIER = "org.springframework.boot.flyway.autoconfigure.FlywayDataSource";

	@Bean
	@DependsOnDatabaseInitialization
	@ConditionalOnMissingBean
	IdempotencySchemaMigration idempotencySchemaMigration(SchemaMigrations migrations) {
		return migrations.by("flyway", QUALIFIER, FlywayMigrator::new);
	}

	/**
	 * The scripts.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("db/idempotency/**");
		}

	}

}
