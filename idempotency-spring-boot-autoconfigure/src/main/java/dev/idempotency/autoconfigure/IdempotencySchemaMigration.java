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
import java.sql.SQLException;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;

import org.springframework.beans.factory.InitializingBean;

import dev.idempotency.store.jpa.UnsupportedDatabase;

/**
 * Migrates the library's table. The Flyway in it is no bean, so that the application's
 * own stays the only one.
 */
final class IdempotencySchemaMigration implements InitializingBean {

	static final String FOLDER = "db/idempotency/postgresql";

	private static final String HISTORY_TABLE = "idempotency_schema_history";

	private final DataSource dataSource;

	IdempotencySchemaMigration(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	public void afterPropertiesSet() throws SQLException {
		requirePostgres();
		Flyway.configure()
			.dataSource(this.dataSource)
			.locations("classpath:" + FOLDER)
			.table(HISTORY_TABLE)
			// The schema holds the application's tables already: that is no reason to
			// stop.
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.load()
			.migrate();
	}

	/**
	 * Flyway would stop at the first statement that another database does not know.
	 */
	private void requirePostgres() throws SQLException {
		try (Connection connection = this.dataSource.getConnection()) {
			String product = connection.getMetaData().getDatabaseProductName();
			if (!"PostgreSQL".equals(product)) {
				throw UnsupportedDatabase.named(product);
			}
		}
	}

}
