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
package dev.idempotency.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.SqlDialect;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * H2, in each of its modes. An insert waits for the lock of a row for as long as the
 * session does; an existing row is locked with a separate time limit.
 */
public final class H2DatabaseDialect extends Statements implements RowLocks {

	/**
	 * A function that the migration creates: CURRENT_TIMESTAMP is the start of the
	 * transaction, and a query of the sessions fails while one of them ends.
	 */
	private static final String NOW = "idempotency_now()";

	/**
	 * The function returns a different time at each call.
	 */
	private static final String LIFE = """
			(finished_at, expires_at) =
				(select time, timestampadd(microsecond, ?, time) from (select :now as time))""";

	private static final String RECORDS = """
			select coalesce(max(row_count_estimate), 0) from information_schema.tables
			where table_schema = %s and lower(table_name) = 'idempotency_record'""";

	private final String insert = sql("""
			insert into idempotency_record
				(id, account, operation, fingerprint, status, finished_at, expires_at)
			values (?, ?, '', '', 0, timestamp with time zone '1970-01-01 00:00:00+00',
				timestamp with time zone '1970-01-01 00:00:00+00')""");

	private final String lock = sql("select 1 from idempotency_record where id = ? for update ");

	private static final int LOCK_TIMEOUT = 50200;

	private static final int DUPLICATE_KEY = 23505;

	H2DatabaseDialect(TableNames names) {
		super(names);
	}

	public static SqlDialect dialect(TableNames names) {
		String schema = schema(names);
		return RowLockDialect.of(new H2DatabaseDialect(names), syntax(names),
				new CatalogStatements(RowLockDialect.columns(schema),
						RowLockDialect.unique(schema,
								"listagg(lower(k.column_name), ', ') within group (order by k.ordinal_position)"),
						"""
								select sequence_name from information_schema.sequences
								where sequence_schema = %s and lower(sequence_name) = ?""".formatted(schema), """
								select routine_name from information_schema.routines
								where routine_schema = %s and lower(routine_name) = ?""".formatted(schema)));
	}

	static Syntax syntax(TableNames names) {
		return RowLockDialect.syntax(NOW, "timestamp with time zone '1970-01-01 00:00:00+00'",
				"next value for idempotency_fence", LIFE, "", RECORDS.formatted(schema(names)), names);
	}

	/**
	 * The schema in the catalog, whose letters may differ in case.
	 */
	private static String schema(TableNames names) {
		return (names.schema() == null) ? "current_schema"
				: "(select schema_name from information_schema.schemata where lower(schema_name) = lower('"
						+ names.schema() + "'))";
	}

	@Override
	public boolean lock(Jdbc jdbc, Identity identity, LockWait wait) throws SQLException {
		return unlessLocked(jdbc, false, (own) -> insert(own, identity, wait) || own.exists(this.lock + switch (wait) {
			case NONE -> "nowait";
			case SECONDS -> "wait 2";
		}, (Object) identity.digest()));
	}

	private boolean insert(Jdbc jdbc, Identity identity, LockWait wait) throws SQLException {
		int before = jdbc.queryOne("select lock_timeout()", (row) -> row.getInt(1));
		if (wait == LockWait.NONE) {
			jdbc.update("set lock_timeout 0");
		}
		try {
			return jdbc.update(this.insert, identity.digest(), identity.account()) == 1;
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() == DUPLICATE_KEY) {
				return false;
			}
			throw ex;
		}
		finally {
			jdbc.update("set lock_timeout " + before);
		}
	}

	@Override
	public boolean isLocked(SQLException failure) {
		return failure.getErrorCode() == LOCK_TIMEOUT;
	}

	/**
	 * The driver reads the isolation without a message, or within the process of the
	 * database.
	 */
	@Override
	public void begin(Connection connection) throws SQLException {
		if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
			isolate(connection, Isolation.READ_COMMITTED);
		}
	}

	/**
	 * The pool resets it.
	 */
	@Override
	public void isolate(Connection connection, Isolation isolation) throws SQLException {
		connection.setTransactionIsolation(isolation.value());
	}

}
