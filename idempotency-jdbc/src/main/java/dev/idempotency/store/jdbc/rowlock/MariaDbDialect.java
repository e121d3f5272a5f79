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

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;

/**
 * The statements for MariaDB.
 */
public final class MariaDbDialect {

	/**
	 * The time of the statement's begin, which is never later than what it finds locked.
	 */
	private static final String NOW = "utc_timestamp(6)";

	private static final String LIFE = "finished_at = :now, expires_at = timestampadd(microsecond, ?, :now)";

	private static final String SHARE = "lock in share mode";

	/**
	 * The engine's estimate counts no row.
	 */
	private static final String RECORDS = """
			select coalesce(max(table_rows), 0) from information_schema.tables
			where table_schema = schema() and table_name = 'idempotency_record'""";

	private static final String COLUMNS = RowLockDialect.columns("schema()");

	private static final String UNIQUE = RowLockDialect.unique("schema()",
			"group_concat(k.column_name order by k.ordinal_position separator ', ')");

	public static final SqlDialect INSTANCE = RowLockDialect.of(SupportedDatabase.MARIADB,
			"placeholder row, locked without waiting", new MariaDbLocks(),
			new Syntax(NOW, LIFE, "'1970-01-01'", SHARE, "select nextval(idempotency_fence)", RECORDS),
			new CatalogStatements(COLUMNS, UNIQUE, COLUMNS, null, false));

	private MariaDbDialect() {
	}

}
