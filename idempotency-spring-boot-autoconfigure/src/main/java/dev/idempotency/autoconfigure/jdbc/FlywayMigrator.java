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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import dev.idempotency.database.SupportedDatabase;

/**
 * Runs the scripts with a Flyway that is not a bean, so that the application's own is not
 * affected: it has a separate history and a separate location of scripts.
 */
final class FlywayMigrator implements IdempotencySchemaMigration.Migrator {

	private static final String HISTORY_TABLE = "idempotency_schema_history";

	private final LibrarySchema schema;

	FlywayMigrator(LibrarySchema schema) {
		this.schema = schema;
	}

	@Override
	public void migrate(DataSource dataSource, SupportedDatabase database) {
		String folder = database.migrations();
		List<MigrationScript> scripts = MigrationScript.find(folder, this.schema.parts());
		Map<String, Integer> run = readHistory(dataSource);
		if (!scripts.stream().allMatch((script) -> Integer.valueOf(script.checksum()).equals(run.get(script.name())))) {
			new FlywayRun(this.schema, HISTORY_TABLE, scripts, !run.isEmpty()).migrate(dataSource, database, folder);
		}
	}

	/**
	 * Reads the checksums of the scripts that were run, by their names, from Flyway's own
	 * table. This one query at each start replaces Flyway's own queries if there is
	 * nothing to migrate. In case of doubt it returns none, and leaves the decision to
	 * Flyway.
	 */
	private Map<String, Integer> readHistory(DataSource dataSource) {
		Map<String, Integer> run = new HashMap<>();
		String sql = "select \"script\", \"checksum\", \"success\" from "
				+ quoted(this.schema.names().qualified(HISTORY_TABLE));
		try (Connection connection = dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement(sql.replace("\"", connection.getMetaData().getIdentifierQuoteString()));
				ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				if (rows.getBoolean(3)) {
					run.put(rows.getString(1), rows.getInt(2));
				}
			}
			return run;
		}
		catch (SQLException ex) {
			return Map.of();
		}
	}

	/**
	 * Flyway quotes the name of its table; the name of the schema is resolved as usual.
	 */
	private static String quoted(String table) {
		int dot = table.indexOf('.');
		return table.substring(0, dot + 1) + "\"" + table.substring(dot + 1) + "\"";
	}

}
