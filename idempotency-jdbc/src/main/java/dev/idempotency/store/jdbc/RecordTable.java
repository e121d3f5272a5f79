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
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.SchemaPart;
import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * A comparison of the tables in the database with those that the statements need.
 */
public final class RecordTable {

	/**
	 * The tables of jobs have the columns required by db-scheduler and those that the
	 * library adds.
	 */
	private static final List<Table> TABLES = List.of(
			new Table(SchemaPart.RECORD, "idempotency_record", "id",
					"id, account, operation, fingerprint, status, token, content, finished_at, expires_at"),
			new Table(SchemaPart.RECORD, "idempotency_lease", "id",
					"id, namespace, account, operation, fingerprint, fence, claim_number, lease_until, effects, attempts, uncounted, "
							+ "created_at, recovery_point, steps, command, retry_at, stuck_at, left_to_sender, last_error, node"),
			new Table(SchemaPart.RECORD, "idempotency_namespace", "namespace", "namespace, secret_check"),
			new Table(SchemaPart.RECORD, "idempotency_lock", "id", "id, holder", SupportedDatabase.H2),
			new Table(SchemaPart.JOB, "idempotency_job", "task_name, task_instance",
					"task_name, task_instance, task_data, execution_time, picked, picked_by, last_success, last_failure, "
							+ "consecutive_failures, last_heartbeat, version, staged_at"),
			new Table(SchemaPart.JOB, "idempotency_dead_job", "id",
					"id, namespace, type, payload, attempts, staged_at, died_at, last_error"),
			new Table(SchemaPart.OUTBOX, "idempotency_outbox", "namespace, position",
					"position, namespace, id, destination, key, type, content, published_at, failures, retry_at, "
							+ "last_error",
					SupportedDatabase.POSTGRESQL));

	private RecordTable() {
	}

	/**
	 * Finds missing tables, on one connection.
	 * @param connections the connections of the business transactions
	 * @param names the names of the tables
	 * @param parts the parts of the schema that are in use
	 * @return the names of missing objects, each with its kind; empty when the tables can
	 * be used
	 */
	public static List<String> findMissing(StoreConnections connections, TableNames names, Set<SchemaPart> parts) {
		CatalogStatements sql = JdbcStores.dialect(connections, names).catalog();
		boolean postgres = connections.database() == SupportedDatabase.POSTGRESQL;
		return connections.separately((connection) -> {
			Catalog catalog = new Catalog(connection, sql, names, postgres);
			List<String> missing = new ArrayList<>();
			for (Table table : TABLES) {
				if (parts.contains(table.part()) && table.isIn(connections.database())) {
					missing.addAll(catalog.findMissing(table));
				}
			}
			if (parts.contains(SchemaPart.RECORD)) {
				missing.addAll(catalog.findMissing(sql.sequence(), "sequence ", "idempotency_claim_number"));
				missing.addAll(catalog.findMissing(sql.clock(), "function ", "idempotency_now"));
			}
			return missing;
		});
	}

	/**
	 * A table.
	 *
	 * @param part the part of the schema
	 * @param name its name
	 * @param key the columns of its primary key
	 * @param columns all of its columns
	 * @param only the only database that has it, {@code null} if all have
	 */
	private record Table(SchemaPart part, String name, String key, String columns, @Nullable SupportedDatabase only) {

		Table(SchemaPart part, String name, String key, String columns) {
			this(part, name, key, columns, null);
		}

		boolean isIn(SupportedDatabase database) {
			return this.only == null || this.only == database;
		}

	}

	/**
	 * The catalog of a database.
	 *
	 * @param connection the connection
	 * @param sql its statements
	 * @param names the names of the objects
	 * @param resolving whether it resolves qualified names, instead of looking for local
	 * names in the schema
	 */
	private record Catalog(Connection connection, CatalogStatements sql, TableNames names, boolean resolving) {

		List<String> findMissing(@Nullable String statement, String kind, String name) throws SQLException {
			boolean missing = statement != null && readNames(statement, name).isEmpty();
			return missing ? List.of(kind + this.names.qualified(name)) : List.of();
		}

		List<String> findMissing(Table table) throws SQLException {
			String name = this.names.qualified(table.name());
			List<String> present = readNames(this.sql.columns(), table.name());
			if (present.isEmpty()) {
				return List.of("table " + name);
			}
			List<String> missing = new ArrayList<>();
			for (String column : table.columns().split(", ")) {
				if (!present.contains(column)) {
					missing.add("column " + name + "." + column);
				}
			}
			if (present.containsAll(List.of(table.key().split(", "))) && !isUnique(table)) {
				missing.add("primary key (" + table.key() + ") of " + name);
			}
			return missing;
		}

		private List<String> readNames(String statement, String name) throws SQLException {
			return new Jdbc(this.connection).query(statement, (row) -> row.getString(1).toLowerCase(Locale.ROOT),
					parameter(name));
		}

		private boolean isUnique(Table table) throws SQLException {
			return new Jdbc(this.connection)
				.query(this.sql.unique(), (row) -> row.getBoolean(1), parameter(table.name()), table.key())
				.contains(true);
		}

		private String parameter(String name) {
			return this.resolving ? this.names.qualified(name) : name;
		}

	}

}
