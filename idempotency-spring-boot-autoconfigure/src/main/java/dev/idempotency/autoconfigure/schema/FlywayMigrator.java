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
package dev.idempotency.autoconfigure.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;

import org.springframework.util.ClassUtils;

import dev.idempotency.autoconfigure.jdbc.LibrarySchema;
import dev.idempotency.autoconfigure.jdbc.SchemaMigrator;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Runs the scripts by a Flyway that is no bean, so that the application's own is as it
 * would be without the library: another history, another place of the scripts.
 */
final class FlywayMigrator implements SchemaMigrator {

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
		MigrationScripts scripts = new MigrationScripts(locations, this.schema);
		MigrationHistory history = new MigrationHistory(this.schema.names().qualified(HISTORY_TABLE));
		if (history.contains(dataSource, scripts)) {
			return;
		}
		requireModule(database);
		FluentConfiguration flyway = Flyway.configure()
			.dataSource(dataSource)
			.locations(locations.stream().map((folder) -> "classpath:" + folder).toArray(String[]::new))
			.resourceProvider(scripts)
			// There are none: without this Flyway would search the class path for them.
			.javaMigrationClassProvider(List::of)
			.placeholders(Map.of("partitions", String.valueOf(this.partitions)))
			// A feature may be switched on later than others, and the table may be
			// partitioned later than it was made. What was made stays.
			.outOfOrder(true)
			.ignoreMigrationPatterns("*:missing", "*:future")
			.table(this.schema.names().local(HISTORY_TABLE))
			// The schema holds the application's tables already: that is no reason to
			// stop.
			.baselineOnMigrate(true)
			.baselineVersion("0");
		String name = this.schema.names().schema();
		if (name != null) {
			flyway.defaultSchema(name);
		}
		flyway.load().migrate();
	}

	private static void requireModule(SupportedDatabase database) {
		String module = switch (database) {
			case POSTGRESQL -> "flyway-database-postgresql";
			case MARIADB -> "flyway-mysql";
			case H2 -> "flyway-core";
		};
		String className = switch (database) {
			case POSTGRESQL -> "org.flywaydb.database.postgresql.PostgreSQLDatabaseType";
			case MARIADB -> "org.flywaydb.database.mysql.MySQLDatabaseType";
			case H2 -> "org.flywaydb.core.Flyway";
		};
		if (!ClassUtils.isPresent(className, Flyway.class.getClassLoader())) {
			throw new InvalidIdempotentException(
					"The tables of the idempotency records cannot be created: " + module + " is not on the class path.",
					"Add org.flywaydb:" + module + ", or set idempotency.schema.management to liquibase, validate or "
							+ "none.");
		}
	}

	private List<String> locations(SupportedDatabase database) {
		List<String> locations = new ArrayList<>(List.of(database.migrations()));
		if (this.partitions > 1) {
			if (database != SupportedDatabase.POSTGRESQL) {
				throw new InvalidIdempotentException(
						"idempotency.schema.partitions=" + this.partitions + " is not supported on "
								+ database.product() + ": the table is partitioned on PostgreSQL only.",
						"Remove the property, or write 1.");
			}
			locations.add(PARTITIONED_FOLDER);
		}
		return locations;
	}

}
