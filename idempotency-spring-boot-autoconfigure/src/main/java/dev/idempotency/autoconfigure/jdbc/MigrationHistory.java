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
import java.util.Map;

import javax.sql.DataSource;

/**
 * The scripts that Flyway has run, by its own table. One query at each start shows
 * whether Flyway has anything to do, and saves Flyway's own queries for that.
 *
 * @param table the name of the table
 */
record MigrationHistory(String table) {

	/**
	 * Reads the checksums of the scripts that were run, by their names. They are none
	 * where there is any doubt, which is left to Flyway.
	 */
	Map<String, Integer> read(DataSource dataSource) {
		Map<String, Integer> run = new HashMap<>();
		String sql = "select \"script\", \"checksum\", \"success\" from " + quoted();
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
	 * Flyway quotes the name of its table; that of the schema is resolved as usual.
	 */
	private String quoted() {
		int dot = this.table.indexOf('.');
		return this.table.substring(0, dot + 1) + "\"" + this.table.substring(dot + 1) + "\"";
	}

}
