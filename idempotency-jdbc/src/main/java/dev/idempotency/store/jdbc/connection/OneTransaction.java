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

import org.jspecify.annotations.Nullable;

/**
 * Executes several statements as one transaction on a separate connection, and restores
 * the connection afterwards. A transaction that the database has ended with a deadlock
 * has left nothing behind, and is repeated.
 *
 * @param begin the first action of a transaction, which sets READ COMMITTED
 */
public record OneTransaction(Begin begin) implements OwnTransactions {

	private static final String DEADLOCK = "40001";

	private static final int ATTEMPTS = 10;

	@Override
	public <T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException {
		for (int attempt = 1;; attempt++) {
			try {
				return runOnce(connection, work);
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

	private <T extends @Nullable Object> T runOnce(Connection connection, ConnectionWork<T> work) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		if (autoCommit) {
			connection.setAutoCommit(false);
		}
		try {
			this.begin.execute(connection);
			T result = work.execute(connection);
			connection.commit();
			return result;
		}
		catch (SQLException | RuntimeException | Error ex) {
			// The end of auto-commit mode would commit.
			rollback(connection, ex);
			throw ex;
		}
		finally {
			if (autoCommit && !connection.isClosed()) {
				connection.setAutoCommit(true);
			}
		}
	}

	private static void rollback(Connection connection, Throwable cause) {
		try {
			if (!connection.isClosed()) {
				connection.rollback();
			}
		}
		catch (SQLException ex) {
			cause.addSuppressed(ex);
		}
	}

	/**
	 * The first action of a transaction.
	 */
	@FunctionalInterface
	public interface Begin {

		void execute(Connection connection) throws SQLException;

	}

}
