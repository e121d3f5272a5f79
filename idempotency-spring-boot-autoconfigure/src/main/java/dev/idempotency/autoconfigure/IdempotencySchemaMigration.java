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
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;

import org.springframework.beans.factory.InitializingBean;

import dev.idempotency.InvalidIdempotentException;
import dev.idempotency.database.SupportedDatabase;

/**
 * Migrates the library's table. The Flyway in it is no bean, so that the application's
 * own stays the only one.
 */
final class IdempotencySchemaMigration implements InitializingBean {

	private static final String PARTITIONED_FOLDER = "db/idempotency/postgresql-partitioned";

	private static final String HISTORY_TABLE = "idempotency_schema_history";

	private final DataSource dataSource;

	private final int partitions;

	IdempotencySchemaMigration(DataSource dataSource, int partitions) {
		this.dataSource = dataSource;
		this.partitions = partitions;
	}

	@Override
	public void afterPropertiesSet() throws SQLException {
		SupportedDatabase database = findDatabase();
		Flyway.configure()
			.dataSource(this.dataSource)
			.locations(locations(database).stream().map((folder) -> "classpath:" + folder).toArray(String[]::new))
			.resourceProvider(new MigrationScripts(locations(database)))
			// There are none: without this Flyway would search the class path for them.
			.javaMigrationClassProvider(List::of)
			.placeholders(Map.of("partitions", String.valueOf(this.partitions)))
			// The table may be partitioned later than it was made, and stays so when the
			// property is gone.
			.outOfOrder(isPartitioned())
			.ignoreMigrationPatterns("*:missing", "*:future")
			.table(HISTORY_TABLE)
			// The schema holds the application's tables already: that is no reason to
			// stop.
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.load()
			.migrate();
	}

	private List<String> locations(SupportedDatabase database) {
		String folder = database.migrations();
		if (!isPartitioned()) {
			return List.of(folder);
		}
		if (database != SupportedDatabase.POSTGRESQL) {
			throw new InvalidIdempotentException("idempotency.schema.partitions=" + this.partitions
					+ " cannot be had on " + database.product() + ": the table is partitioned on PostgreSQL only.",
					"Remove the property, or write 1.");
		}
		return List.of(folder, PARTITIONED_FOLDER);
	}

	private boolean isPartitioned() {
		return this.partitions > 1;
	}

	/**
	 * Flyway would stop at the first statement that another database does not know.
	 */
	private SupportedDatabase findDatabase() throws SQLException {
		try (Connection connection = this.dataSource.getConnection()) {
			return SupportedDatabase.of(connection.getMetaData());
		}
	}

}
