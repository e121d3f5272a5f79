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
package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.SchemaPart;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.sql.CatalogStatements;

/**
 * The tables as the database has them, compared with the needs of the statements.
 */
public final class RecordTable {

	private static final String RECORDS = "idempotency_record";

	private static final List<String> RECORD_COLUMNS = List.of("id", "account", "operation", "fingerprint", "status",
			"token", "content", "finished_at", "expires_at", "history");

	private static final String LEASES = "idempotency_lease";

	private static final List<String> LEASE_COLUMNS = List.of("id", "namespace", "account", "operation", "fingerprint",
			"fence", "lease_until", "effects", "attempts", "uncounted", "created_at", "recovery_point", "steps",
			"command", "retry_at", "stuck_at", "last_error", "history");

	private static final String NAMESPACES = "idempotency_namespace";

	private static final List<String> NAMESPACE_COLUMNS = List.of("namespace", "secret_check");

	private static final String FENCE = "idempotency_fence";

	private static final String CLOCK = "idempotency_now";

	private static final String JOBS = "idempotency_job";

	/**
	 * Columns required by db-scheduler, and those that the library adds.
	 */
	private static final List<String> JOB_COLUMNS = List.of("task_name", "task_instance", "task_data", "execution_time",
			"picked", "picked_by", "last_success", "last_failure", "consecutive_failures", "last_heartbeat", "version",
			"staged_at");

	private static final String DEAD_JOBS = "idempotency_dead_job";

	private static final List<String> DEAD_JOB_COLUMNS = List.of("id", "namespace", "type", "payload", "attempts",
			"staged_at", "died_at", "last_error");

	private static final String OUTBOX = "idempotency_outbox";

	private static final List<String> OUTBOX_COLUMNS = List.of("position", "namespace", "id", "destination", "key",
			"type", "content", "published_at", "failures", "retry_at", "last_error");

	private static final List<String> ID = List.of("id");

	private RecordTable() {
	}

	/**
	 * Finds missing tables, on one connection.
	 * @param connections the connections of the business transactions
	 * @param parts the parts of the schema that are in use
	 * @return the names of missing objects, each with its kind; empty when the tables can
	 * be used
	 */
	public static List<String> findMissing(StoreConnections connections, Set<SchemaPart> parts) {
		SupportedDatabase database = connections.database();
		Catalog catalog = new Catalog(SqlDialectResolver.resolve(database).catalog(), connections.names(),
				database == SupportedDatabase.POSTGRESQL);
		return connections.separately((connection) -> {
			List<String> missing = new ArrayList<>();
			for (SchemaPart part : SchemaPart.values()) {
				if (parts.contains(part)) {
					missing.addAll(findMissing(connection, catalog, part));
				}
			}
			return missing;
		});
	}

	private static List<String> findMissing(Connection connection, Catalog catalog, SchemaPart part)
			throws SQLException {
		List<String> missing = new ArrayList<>();
		switch (part) {
			case RECORD -> {
				missing.addAll(findMissing(connection, catalog, RECORDS, RECORD_COLUMNS, ID));
				missing.addAll(findMissing(connection, catalog, LEASES, LEASE_COLUMNS, ID));
				missing.addAll(findMissing(connection, catalog, NAMESPACES, NAMESPACE_COLUMNS, List.of("namespace")));
				missing.addAll(findMissing(connection, catalog, catalog.sql().sequence(), "sequence ", FENCE));
				missing.addAll(findMissing(connection, catalog, catalog.sql().clock(), "function ", CLOCK));
			}
			case JOB -> {
				missing
					.addAll(findMissing(connection, catalog, JOBS, JOB_COLUMNS, List.of("task_name", "task_instance")));
				missing.addAll(findMissing(connection, catalog, DEAD_JOBS, DEAD_JOB_COLUMNS, ID));
			}
			case OUTBOX -> {
				if (catalog.sql().outbox()) {
					missing.addAll(
							findMissing(connection, catalog, OUTBOX, OUTBOX_COLUMNS, List.of("namespace", "position")));
				}
			}
		}
		return missing;
	}

	private static List<String> findMissing(Connection connection, Catalog catalog, @Nullable String sql, String kind,
			String name) throws SQLException {
		boolean missing = sql != null && readNames(connection, sql, catalog.parameter(name)).isEmpty();
		return missing ? List.of(kind + catalog.names().qualified(name)) : List.of();
	}

	private static List<String> findMissing(Connection connection, Catalog catalog, String table, List<String> columns,
			List<String> key) throws SQLException {
		String name = catalog.names().qualified(table);
		Set<String> present = readNames(connection, catalog.sql().columns(), catalog.parameter(table));
		if (present.isEmpty()) {
			return List.of("table " + name);
		}
		List<String> missing = new ArrayList<>();
		for (String column : columns) {
			if (!present.contains(column)) {
				missing.add("column " + name + "." + column);
			}
		}
		String keyColumns = String.join(", ", key);
		if (present.containsAll(key)
				&& !isUnique(connection, catalog.sql().unique(), catalog.parameter(table), keyColumns)) {
			missing.add("primary key (" + keyColumns + ") of " + name);
		}
		return missing;
	}

	private static Set<String> readNames(Connection connection, String sql, String table) throws SQLException {
		Set<String> present = new HashSet<>();
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, table);
			try (ResultSet names = statement.executeQuery()) {
				while (names.next()) {
					present.add(names.getString(1).toLowerCase(Locale.ROOT));
				}
			}
		}
		return present;
	}

	private static boolean isUnique(Connection connection, String sql, String table, String key) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, table);
			statement.setString(2, key);
			try (ResultSet found = statement.executeQuery()) {
				return found.next() && found.getBoolean(1);
			}
		}
	}

	/**
	 * The catalog of the database.
	 *
	 * @param sql the statements that look at it
	 * @param names the names of the tables
	 * @param resolving whether it takes names with their schema
	 */
	private record Catalog(CatalogStatements sql, TableNames names, boolean resolving) {

		String parameter(String name) {
			return this.resolving ? this.names.qualified(name) : this.names.local(name);
		}

	}

}
