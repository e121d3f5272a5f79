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
 * Makes work on a separate connection one transaction.
 */
public interface OwnTransactions {

	/**
	 * The work is one message, which commits automatically.
	 */
	OwnTransactions ONE_MESSAGE = new OwnTransactions() {

		@Override
		public <T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException {
			T result = work.execute(connection);
			// Some pools are configured without auto-commit.
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
			return result;
		}

	};

	/**
	 * Runs work and commits it.
	 */
	<T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException;

	/**
	 * Returns whether each transaction sets READ COMMITTED when it begins. Otherwise the
	 * connection must have that isolation.
	 */
	default boolean setsIsolation() {
		return false;
	}

}
