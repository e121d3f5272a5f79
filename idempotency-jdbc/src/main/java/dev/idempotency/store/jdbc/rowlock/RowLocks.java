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

import dev.idempotency.store.Identity;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * The substitute for transaction-scoped named locks on a database without them: the row
 * of the record is the lock. It is inserted as a placeholder that counts as expired, or
 * locked if it exists, and is committed or rolled back like any row.
 */
interface RowLocks {

	/**
	 * Inserts the placeholder or locks the record, in the current transaction.
	 * @param jdbc the statements of the transaction
	 * @param identity the identity to lock
	 * @param wait the time to wait for another transaction
	 * @return {@code false} if another transaction has it
	 * @throws SQLException if the database fails
	 */
	boolean lock(Jdbc jdbc, Identity identity, LockWait wait) throws SQLException;

	/**
	 * Returns whether a statement failed because it would have had to wait, or had
	 * waited, for a lock.
	 * @param failure the failure of the statement
	 * @return whether it was a lock; the transaction continues
	 */
	boolean isLocked(SQLException failure);

	/**
	 * Executes statements that may find a lock taken.
	 * @param jdbc the statements of the transaction
	 * @param otherwise the result if another transaction has the lock
	 * @param work the statements
	 * @return the result of the work
	 * @throws SQLException if the database fails
	 */
	default <T> T unlessLocked(Jdbc jdbc, T otherwise, Jdbc.Work<T> work) throws SQLException {
		try {
			return work.apply(jdbc);
		}
		catch (SQLException ex) {
			if (isLocked(ex)) {
				return otherwise;
			}
			throw ex;
		}
	}

	/**
	 * Prepares a separate transaction, before its first statement.
	 * @param connection the connection, with auto-commit off
	 * @throws SQLException if the database fails
	 */
	void begin(Connection connection) throws SQLException;

	/**
	 * Sets the isolation of a transaction, before its first statement.
	 * @param connection the transaction's
	 * @param isolation the isolation
	 * @throws SQLException if the database fails
	 */
	void isolate(Connection connection, Isolation isolation) throws SQLException;

	/**
	 * The time to wait for a lock.
	 */
	enum LockWait {

		/**
		 * No wait: the holder may execute a request for an unlimited time.
		 */
		NONE,

		/**
		 * A little longer than a duplicate takes to read.
		 */
		SECONDS

	}

}
