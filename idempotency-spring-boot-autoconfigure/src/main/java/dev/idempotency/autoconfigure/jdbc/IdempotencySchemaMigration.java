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

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Creates the tables, before the store is used and after the application has created its
 * own tables: a tool of the application would refuse a schema that is not empty.
 */
final class IdempotencySchemaMigration implements InitializingBean {

	private final Supplier<DataSource> dataSource;

	private final Migrator migrator;

	IdempotencySchemaMigration(Supplier<DataSource> dataSource, Migrator migrator) {
		this.dataSource = dataSource;
		this.migrator = migrator;
	}

	@Override
	public void afterPropertiesSet() {
		DataSource migrated = this.dataSource.get();
		SupportedDatabase database = findDatabase(migrated);
		try {
			this.migrator.migrate(migrated, database);
		}
		catch (InvalidIdempotentException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			InvalidIdempotentException failure = new InvalidIdempotentException(
					"The tables of the idempotency records could not be created: "
							+ NestedExceptionUtils.getMostSpecificCause(ex).getMessage() + ".",
					"If the user of the application must not create tables, set spring.flyway.user or "
							+ "spring.liquibase.user, or run the scripts that are in the library's jar under "
							+ "db/idempotency and set idempotency.schema.management to validate.");
			failure.initCause(ex);
			throw failure;
		}
	}

	/**
	 * Refuses an unsupported database, where a tool would fail at some statement.
	 */
	private static SupportedDatabase findDatabase(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			return SupportedDatabase.of(connection.getMetaData());
		}
		catch (SQLException ex) {
			throw new CannotGetJdbcConnectionException(
					"The tables of the idempotency records can be neither created nor checked", ex);
		}
	}

	/**
	 * Creates the tables with one tool.
	 */
	@FunctionalInterface
	interface Migrator {

		void migrate(DataSource dataSource, SupportedDatabase database);

	}

}
