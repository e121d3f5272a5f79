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

/**
 * What a database without transaction-scoped locks by name does instead: the row of the
 * record itself is the lock. It is inserted as a placeholder that counts as expired, or
 * locked as it is, and goes with the transaction as any row does.
 */
interface RowLocks {

	/**
	 * Insert the placeholder or lock the record, in the current transaction.
	 * @param connection the transaction's
	 * @param identity what is locked
	 * @param patience whether to wait for somebody else
	 * @return {@code false} if somebody else has it
	 * @throws SQLException if the database fails
	 */
	boolean lock(Connection connection, Identity identity, Patience patience) throws SQLException;

	/**
	 * Whether a statement failed because it would have had to wait, or had waited, for a
	 * lock.
	 * @param failure what it failed with
	 * @return whether it was a lock; the transaction goes on
	 */
	boolean isLocked(SQLException failure);

	/**
	 * Prepare a transaction of the store's own, before its first statement.
	 * @param connection the connection, with auto-commit off
	 * @throws SQLException if the database fails
	 */
	void begin(Connection connection) throws SQLException;

	/**
	 * Set the isolation of a transaction, before its first statement.
	 * @param connection the transaction's
	 * @param isolation the isolation
	 * @throws SQLException if the database fails
	 */
	void isolate(Connection connection, Isolation isolation) throws SQLException;

	/**
	 * Whether to wait for a lock.
	 */
	enum Patience {

		/**
		 * Not at all: whoever has it may execute a request for as long as it likes.
		 */
		NONE,

		/**
		 * For the moment that a duplicate takes to look, and a little longer.
		 */
		SECONDS

	}

}
