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

import java.time.Duration;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.connection.StoreConnections;
import dev.idempotency.store.jdbc.postgresql.PostgresStatements;
import dev.idempotency.store.jdbc.h2.H2Records;
import dev.idempotency.store.jdbc.sql.SqlDialect;

/**
 * The stores of the completer and of operators. Each of their methods uses a separate
 * connection.
 */
public final class JdbcStores {

	private JdbcStores() {
	}

	/**
	 * Creates the store of the unfinished requests of one application.
	 * @param connections the connections of the business transactions
	 * @param names the names of the tables
	 * @param timeout the time that the database may take to answer
	 * @param namespace the application, of those that share the tables
	 * @return the store
	 */
	public static UnfinishedStore unfinished(StoreConnections connections, TableNames names, Duration timeout,
			String namespace) {
		SqlDialect dialect = dialect(connections, names);
		return dialect.unfinished().apply(new OwnConnection(connections, dialect.transactions(), timeout), namespace);
	}

	/**
	 * Creates the operators' view of the tables.
	 * @param connections the connections of the business transactions
	 * @param names the names of the tables
	 * @param timeout the time that the database may take to answer
	 * @param namespace the application, of those that share the tables
	 * @return the store
	 */
	public static OperatorStore operators(StoreConnections connections, TableNames names, Duration timeout,
			String namespace) {
		SqlDialect dialect = dialect(connections, names);
		return dialect.operators().apply(new OwnConnection(connections, dialect.transactions(), timeout), namespace);
	}

	/**
	 * Creates the statements for a database.
	 */
	static SqlDialect dialect(StoreConnections connections, TableNames names) {
		return switch (connections.database()) {
			case POSTGRESQL -> PostgresStatements.dialect(names);
			case H2 -> H2Records.dialect(names);
		};
	}

}
