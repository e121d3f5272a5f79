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
 * MariaDB with InnoDB. A statement that finds the row of a record locked fails with error
 * 1205, which leaves the transaction as it was.
 * <p>
 * The insert locks no gap. In the transactions of the store itself nothing else does
 * either, because they are READ COMMITTED.
 */
public final class MariaDbDialect extends Statements implements RowLocks {

	/**
	 * The time at which the statement started, which is never later than that of a row it
	 * finds locked.
	 */
	private static final String NOW = "utc_timestamp(6)";

	private static final String LIFE = "finished_at = :now, expires_at = timestampadd(microsecond, ?, :now)";

	private static final String SHARE = "lock in share mode";

	/**
	 * The engine's estimate, which counts no rows.
	 */
	private static final String RECORDS = """
			select coalesce(max(table_rows), 0) from information_schema.tables
			where table_schema = %s and table_name = 'idempotency_record'""";

	private final String insert = sql("""
			insert into idempotency_record
				(id, account, operation, fingerprint, status, finished_at, expires_at)
			values (?, ?, '', '', 0, '1970-01-01', '1970-01-01')
			on duplicate key update id = id""");

	private static final int LOCK_WAIT_TIMEOUT = 1205;

	private MariaDbDialect(TableNames names) {
		super(names);
	}

	public static SqlDialect dialect(TableNames names) {
		String schema = (names.schema() == null) ? "schema()" : "'" + names.schema() + "'";
		String columns = RowLockDialect.columns(schema);
		Syntax syntax = RowLockDialect.syntax(NOW, "'1970-01-01'", "nextval(idempotency_fence)", LIFE, SHARE,
				RECORDS.formatted(schema), names);
		return RowLockDialect.of(new MariaDbDialect(names), syntax,
				new CatalogStatements(columns,
						RowLockDialect.unique(schema,
								"group_concat(k.column_name order by k.ordinal_position separator ', ')"),
						columns, null));
	}

	@Override
	public boolean lock(Jdbc jdbc, Identity identity, LockWait wait) throws SQLException {
		String limit = switch (wait) {
			case NONE -> "set statement innodb_lock_wait_timeout = 0 for ";
			case SECONDS -> "set statement innodb_lock_wait_timeout = 2 for ";
		};
		return unlessLocked(jdbc, false, (own) -> {
			own.update(limit + this.insert, identity.digest(), identity.account());
			return true;
		});
	}

	@Override
	public boolean isLocked(SQLException failure) {
		return failure.getErrorCode() == LOCK_WAIT_TIMEOUT;
	}

	@Override
	public void begin(Connection connection) throws SQLException {
		isolate(connection, Isolation.READ_COMMITTED);
	}

	/**
	 * Sets the isolation of the next transaction only, which the next statement begins.
	 */
	@Override
	public void isolate(Connection connection, Isolation isolation) throws SQLException {
		new Jdbc(connection).update("set transaction isolation level " + isolation.name().replace('_', ' '));
	}

}
