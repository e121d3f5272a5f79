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

import java.util.Map;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.jdbc.connection.OneTransaction;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * Assembles syntax and dialect of a database with placeholders.
 */
final class RowLockDialect {

	private static final String COLUMNS = """
			select column_name from information_schema.columns
			where table_schema = %s and lower(table_name) = ?""";

	/**
	 * An index over nullable columns, or over parts of the rows, is none of these
	 * constraints.
	 */
	private static final String UNIQUE = """
			select count(*) > 0 from information_schema.table_constraints c
			where c.table_schema = %s and lower(c.table_name) = ? and c.constraint_type in ('PRIMARY KEY', 'UNIQUE')
				and ? = (select %s from information_schema.key_column_usage k
					where k.table_schema = c.table_schema and k.table_name = c.table_name
						and k.constraint_name = c.constraint_name)""";

	private RowLockDialect() {
	}

	static Syntax syntax(String now, String epoch, String fence, String life, String share, String records,
			TableNames names) {
		return new Syntax(Map.of("now", now, "later", "timestampadd(microsecond, ?, :now)", "micros",
				"timestampdiff(microsecond, :epoch, %s)", "fence", fence, "epoch", epoch, "life", life, "share", share,
				"records", records), names);
	}

	static SqlDialect of(RowLocks locks, Syntax syntax, CatalogStatements catalog) {
		return new SqlDialect("placeholder row, locked without waiting", new OneTransaction(locks::begin),
				new RowLockRecords(syntax, locks), (own, namespace) -> new RowLockUnfinished(own, namespace, syntax),
				(own, namespace) -> new RowLockOperators(own, namespace, syntax), catalog);
	}

	static String columns(String schema) {
		return COLUMNS.formatted(schema);
	}

	static String unique(String schema, String names) {
		return UNIQUE.formatted(schema, names);
	}

}
