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

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.store.jdbc.postgresql.PostgresStatements;
import dev.idempotency.store.jdbc.rowlock.H2DatabaseDialect;
import dev.idempotency.store.jdbc.rowlock.MariaDbDialect;
import dev.idempotency.store.jdbc.sql.SqlDialect;

/**
 * Selects the statements for a database.
 */
final class SqlDialectResolver {

	private SqlDialectResolver() {
	}

	static SqlDialect resolve(SupportedDatabase database) {
		return switch (database) {
			case POSTGRESQL -> PostgresStatements.DIALECT;
			case H2 -> H2DatabaseDialect.INSTANCE;
			case MARIADB -> MariaDbDialect.INSTANCE;
		};
	}

}
