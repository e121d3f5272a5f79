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

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.jdbc.connection.ConnectionWork;
import dev.idempotency.store.jdbc.connection.OneTransaction;
import dev.idempotency.store.jdbc.connection.OwnTransactions;

/**
 * Several statements as one transaction, on a separate connection. One that the database
 * has ended with a deadlock has left nothing behind, and is repeated.
 *
 * @param locks begins the transaction
 */
record RowLockTransactions(RowLocks locks) implements OwnTransactions {

	private static final String DEADLOCK = "40001";

	private static final int ATTEMPTS = 10;

	@Override
	public <T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException {
		for (int attempt = 1;; attempt++) {
			try {
				return OneTransaction.run(connection, this.locks::begin, work);
			}
			catch (SQLException ex) {
				if (attempt == ATTEMPTS || !DEADLOCK.equals(ex.getSQLState())) {
					throw ex;
				}
			}
		}
	}

	@Override
	public boolean setsIsolation() {
		return true;
	}

}
