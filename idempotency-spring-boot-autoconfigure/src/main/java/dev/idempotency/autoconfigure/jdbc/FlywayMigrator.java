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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Runs the scripts with a Flyway that is not a bean, so that the application's own is not
 * affected: it has a separate history and a separate location of scripts.
 */
final class FlywayMigrator implements IdempotencySchemaMigration.Migrator {

	private static final String PARTITIONED_FOLDER = "db/idempotency/postgresql-partitioned";

	private static final String HISTORY_TABLE = "idempotency_schema_history";

	private final LibrarySchema schema;

	private final int partitions;

	FlywayMigrator(LibrarySchema schema, int partitions) {
		this.schema = schema;
		this.partitions = partitions;
	}

	@Override
	public void migrate(DataSource dataSource, SupportedDatabase database) {
		List<String> locations = locations(database);
		List<MigrationScript> scripts = MigrationScript.find(locations, this.schema);
		Map<String, Integer> run = new MigrationHistory(this.schema.names().qualified(HISTORY_TABLE)).read(dataSource);
		if (!scripts.stream().allMatch((script) -> Integer.valueOf(script.checksum()).equals(run.get(script.name())))) {
			new FlywayRun(this.schema.names(), HISTORY_TABLE, scripts, !run.isEmpty()).migrate(dataSource, database,
					locations, this.partitions);
		}
	}

	private List<String> locations(SupportedDatabase database) {
		List<String> locations = new ArrayList<>(List.of(database.migrations()));
		if (this.partitions > 1) {
			if (database != SupportedDatabase.POSTGRESQL) {
				throw new InvalidIdempotentException(
						"idempotency.schema.partitions=" + this.partitions + " is not supported on "
								+ database.product() + ": the table is partitioned on PostgreSQL only.",
						"Remove the property, or set it to 1.");
			}
			locations.add(PARTITIONED_FOLDER);
		}
		return locations;
	}

}
