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

import dev.idempotency.database.SupportedDatabase;

/**
 * Creates the tables before the store is used, and after the application has created its
 * own: a tool of the application would refuse a schema that is not empty.
 */
public final class IdempotencySchemaMigration implements InitializingBean {

	private final Supplier<DataSource> dataSource;

	private final SchemaMigrator migrator;

	public IdempotencySchemaMigration(Supplier<DataSource> dataSource, SchemaMigrator migrator) {
		this.dataSource = dataSource;
		this.migrator = migrator;
	}

	@Override
	public void afterPropertiesSet() throws SQLException {
		DataSource migrated = this.dataSource.get();
		this.migrator.migrate(migrated, findDatabase(migrated));
	}

	/**
	 * A tool would stop at the first statement that another database does not know.
	 */
	private static SupportedDatabase findDatabase(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection()) {
			return SupportedDatabase.of(connection.getMetaData());
		}
	}

}
