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
package dev.idempotency.store.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

/**
 * The isolation READ COMMITTED for messages of several statements, of which a later one
 * has to see what was committed while an earlier one waited for a lock. Where that is the
 * isolation of the connections anyway, as it is by default, only one query is sent, for
 * the first request. All connections of a pool are alike.
 * <p>
 * Elsewhere it is set for the transaction. JDBC would set it for the session, which a
 * pooler of transactions hands to others.
 */
final class ReadCommitted {

	private volatile @Nullable Integer isolation;

	<T extends @Nullable Object> T run(Connection connection, OwnTransactions transactions, ConnectionWork<T> work)
			throws SQLException {
		return (isolation(connection) == Connection.TRANSACTION_READ_COMMITTED) ? transactions.run(connection, work)
				: OneTransaction.run(connection, ReadCommitted::set, work);
	}

	private static void set(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("set transaction isolation level read committed");
		}
	}

	private int isolation(Connection connection) throws SQLException {
		Integer known = this.isolation;
		if (known == null) {
			known = connection.getTransactionIsolation();
			if (!connection.getAutoCommit()) {
				// The query has begun a transaction.
				connection.rollback();
			}
			this.isolation = known;
		}
		return known;
	}

	/**
	 * Returns whether connections have it by default, as far as is known.
	 */
	boolean isDefault() {
		Integer known = this.isolation;
		return known == null || known == Connection.TRANSACTION_READ_COMMITTED;
	}

}
