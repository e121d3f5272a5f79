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
 * H2, in each of its modes.
 */
public final class H2DatabaseDialect {

	/**
	 * A function of the migration: CURRENT_TIMESTAMP is the begin of the transaction, and
	 * a query of the sessions fails while another one ends.
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
			where table_schema = current_schema and lower(table_name) = 'idempotency_record'""";

	static final Syntax SYNTAX = new Syntax(NOW, LIFE, "timestamp with time zone '1970-01-01 00:00:00+00'", "",
			"select next value for idempotency_fence", RECORDS);

	public static final SqlDialect INSTANCE = RowLockDialect.of(SupportedDatabase.H2,
			"placeholder row, locked without waiting", new H2Locks(), SYNTAX,
			new CatalogStatements(RowLockDialect.columns("current_schema"), RowLockDialect.unique("current_schema",
					"listagg(lower(k.column_name), ', ') within group (order by k.ordinal_position)"), """
							select sequence_name from information_schema.sequences
							where sequence_schema = current_schema and lower(sequence_name) = ?""", """
							select routine_name from information_schema.routines
							where routine_schema = current_schema and lower(routine_name) = ?""", false));

	private H2DatabaseDialect() {
	}

}
