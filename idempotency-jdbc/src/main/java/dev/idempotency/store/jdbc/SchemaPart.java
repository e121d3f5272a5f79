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

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.Jdbc.Session;

/**
 * A part of the library's schema that a feature needs: its scripts, and the tables that
 * the statements need.
 */
public enum SchemaPart {

	/**
	 * Answers and leases, which every application needs.
	 */
	RECORD("record",
			new Table("idempotency_record", "id",
					"id, account, operation, fingerprint, status, token, content, finished_at, expires_at"),
			new Table("idempotency_lease", "id",
					"id, namespace, account, operation, fingerprint, fence, claim_number, lease_until, effects, attempts, uncounted, "
							+ "created_at, recovery_point, steps, command, retry_at, stuck_at, left_to_sender, last_error, node"),
			new Table("idempotency_namespace", "namespace", "namespace, secret_check"),
			new Table("idempotency_lock", "id", "id, holder", SupportedDatabase.H2)),

	/**
	 * Staged jobs: the columns required by db-scheduler and those that the library adds.
	 */
	JOB("job", new Table("idempotency_job", "task_name, task_instance",
			"task_name, task_instance, task_data, execution_time, picked, picked_by, last_success, last_failure, "
					+ "consecutive_failures, last_heartbeat, version, staged_at"),
			new Table("idempotency_dead_job", "id",
					"id, namespace, type, payload, attempts, staged_at, died_at, last_error")),

	/**
	 * Events to be relayed.
	 */
	OUTBOX("outbox",
			new Table("idempotency_outbox", "namespace, position",
					"position, namespace, id, destination, key, type, content, published_at, failures, retry_at, "
							+ "last_error",
					SupportedDatabase.POSTGRESQL));

	private final String label;

	private final List<Table> tables;

	SchemaPart(String label, Table... tables) {
		this.label = label;
		this.tables = List.of(tables);
	}

	/**
	 * Returns the label of its change sets, which is also the suffix of the names of its
	 * scripts.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Returns whether a script creates this part.
	 * @param fileName the name of the script's file
	 * @return {@code true} if it does
	 */
	public boolean isMadeBy(String fileName) {
		return fileName.endsWith(this.label + ".sql");
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
		Catalog catalog = switch (connections.database()) {
			case POSTGRESQL -> Catalog.POSTGRESQL;
			case H2 -> Catalog.H2;
		};
		return connections.separately((connection) -> {
			Inspection inspection = new Inspection(new Session(connection), catalog, names);
			List<String> missing = new ArrayList<>();
			for (SchemaPart part : parts) {
				for (Table table : part.tables) {
					if (table.isIn(connections.database())) {
						missing.addAll(inspection.findMissing(table));
					}
				}
			}
			if (parts.contains(RECORD)) {
				missing.addAll(inspection.findMissing(catalog.sequence(), "sequence ", "idempotency_claim_number"));
				missing.addAll(inspection.findMissing(catalog.clock(), "function ", "idempotency_now"));
			}
			return missing;
		});
	}

	/**
	 * A table.
	 *
	 * @param name its name
	 * @param key the columns of its primary key
	 * @param columns all of its columns
	 * @param only the only database that has it, {@code null} if all have
	 */
	private record Table(String name, String key, String columns, @Nullable SupportedDatabase only) {

		Table(String name, String key, String columns) {
			this(name, key, columns, null);
		}

		boolean isIn(SupportedDatabase database) {
			return this.only == null || this.only == database;
		}

	}

	/**
	 * The statements that examine the tables of a database. The first parameters of each
	 * are the schema, {@code null} for the default one, and the name of the object.
	 *
	 * @param columns reads the names of the columns of a table
	 * @param unique whether a table has a unique index on exactly these columns that
	 * holds for all of its rows. Third parameter: the columns in their order, separated
	 * by a comma and a blank
	 * @param sequence finds a sequence: a row if it exists
	 * @param clock finds the function that returns the time: a row if it exists.
	 * {@code null} if the database has a built-in one
	 */
	private record Catalog(String columns, String unique, String sequence, @Nullable String clock) {

		private static final String ATTRIBUTES = """
				select attname from pg_attribute
				where attrelid = to_regclass(concat_ws('.', ?::text, ?::text)) and attnum > 0 and not attisdropped""";

		/**
		 * Without the unique index the statement that stores a response has no arbiter.
		 */
		static final Catalog POSTGRESQL = new Catalog(ATTRIBUTES, """
				select exists (
					select from pg_index
					where indrelid = to_regclass(concat_ws('.', ?::text, ?::text)) and indisunique and indisvalid
					and indpred is null
					and (select string_agg(attname, ', ' order by position)
						from unnest(indkey) with ordinality as key(number, position)
						join pg_attribute on attrelid = indrelid and attnum = number
						where position <= indnkeyatts) = ?)""", ATTRIBUTES, null);

		static final Catalog H2 = new Catalog("""
				select column_name from information_schema.columns
				where lower(table_schema) = lower(coalesce(?, current_schema)) and lower(table_name) = ?""", """
				select count(*) > 0 from information_schema.table_constraints c
				where lower(c.table_schema) = lower(coalesce(?, current_schema)) and lower(c.table_name) = ?
					and c.constraint_type in ('PRIMARY KEY', 'UNIQUE')
					and ? = (
						select listagg(lower(k.column_name), ', ') within group (order by k.ordinal_position)
						from information_schema.key_column_usage k
						where k.table_schema = c.table_schema and k.table_name = c.table_name
							and k.constraint_name = c.constraint_name)""", """
				select sequence_name from information_schema.sequences
				where lower(sequence_schema) = lower(coalesce(?, current_schema)) and lower(sequence_name) = ?""", """
				select routine_name from information_schema.routines
				where lower(routine_schema) = lower(coalesce(?, current_schema)) and lower(routine_name) = ?""");

	}

	/**
	 * An inspection of the objects on one connection.
	 *
	 * @param session the connection
	 * @param catalog the catalog of the database
	 * @param names the names of the objects
	 */
	private record Inspection(Session session, Catalog catalog, TableNames names) {

		List<String> findMissing(@Nullable String statement, String kind, String name) throws SQLException {
			boolean missing = statement != null && readNames(statement, name).isEmpty();
			return missing ? List.of(kind + this.names.qualified(name)) : List.of();
		}

		List<String> findMissing(Table table) throws SQLException {
			String name = this.names.qualified(table.name());
			List<String> present = readNames(this.catalog.columns(), table.name());
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
			return this.session.query(statement, (row) -> row.getString(1).toLowerCase(Locale.ROOT),
					this.names.schema(), name);
		}

		private boolean isUnique(Table table) throws SQLException {
			return this.session.queryOne(this.catalog.unique(), (row) -> row.getBoolean(1), this.names.schema(),
					table.name(), table.key());
		}

	}

}
