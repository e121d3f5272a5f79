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

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceHolder;

import dev.idempotency.database.SupportedDatabase;

/**
 * The connections of the store: the connections of the business transactions, and
 * separate ones. A failure of the database is thrown as an unchecked exception whose
 * cause is the {@link java.sql.SQLException}.
 */
public interface StoreConnections {

	/**
	 * Creates the connections of a data source, in the transactions that Spring keeps on
	 * it.
	 * @param dataSource the data source of the business rows, not a proxy of it that is
	 * aware of transactions
	 * @param transactionManager the transaction manager of the business rows
	 * @return the connections
	 */
	static StoreConnections of(DataSource dataSource, PlatformTransactionManager transactionManager) {
		return new DataSourceConnections(dataSource, transactionManager);
	}

	/**
	 * Translates a failure of the database.
	 * @param failure the failure
	 * @return an unchecked exception with the failure as its cause
	 */
	static DataAccessException translate(SQLException failure) {
		return DataSourceConnections.translate(failure);
	}

	/**
	 * Aborts the connection of a transaction that was left on a thread. The database
	 * rolls the transaction back, and no pool hands the connection out again.
	 * @param resource a resource of the transaction
	 */
	static void abort(ResourceHolder resource) {
		DataSourceConnections.abort(resource);
	}

	/**
	 * Returns the database of the connections.
	 * @return the database
	 * @throws dev.idempotency.exception.InvalidIdempotentException if it is not supported
	 */
	SupportedDatabase database();

	/**
	 * Returns the data source of the connections.
	 * @return the data source; {@code null} if it is not known
	 */
	@Nullable DataSource dataSource();

	/**
	 * Runs work on the connection of the current transaction, which the caller ends.
	 * @param <T> the type of the result
	 * @param work the work
	 * @return its result
	 */
	<T extends @Nullable Object> T inTransaction(Work<T> work);

	/**
	 * Runs work on a connection outside any transaction, regardless of the thread's own.
	 * @param <T> the type of the result
	 * @param work the work, which commits
	 * @return its result
	 */
	<T extends @Nullable Object> T separately(Work<T> work);

	/**
	 * Prepares the current transaction for the execution of a request, before its first
	 * statement. Does nothing unless state outlives a transaction.
	 */
	default void enterRequest() {
	}

	/**
	 * Prepares the current transaction for a phase, before its first statement: nothing
	 * that was read earlier counts in it. Does nothing unless state outlives a
	 * transaction.
	 */
	default void enterPhase() {
	}

	/**
	 * Sends a statement when the current transaction has nothing else to send.
	 * @param last the statement
	 * @return {@code false} if it cannot be done, and nothing was: the caller sends the
	 * statement before the commit begins
	 */
	boolean sendLast(LastStatement last);

	/**
	 * Sends a statement as {@link #sendLast} does, when the commit has begun and its
	 * callbacks are being called.
	 * @param last the statement
	 * @return {@code false} if it cannot be done, and nothing was
	 */
	default boolean sendLastInCommit(LastStatement last) {
		return false;
	}

	/**
	 * Work on a connection chosen by the caller.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object> {

		/**
		 * Performs the work.
		 * @param connection the connection, which the caller closes
		 * @return the result
		 * @throws SQLException if the database fails
		 */
		T execute(Connection connection) throws SQLException;

	}

	/**
	 * The last statement of a transaction.
	 */
	@FunctionalInterface
	interface LastStatement {

		/**
		 * Sends the statement.
		 * @param connection the connection of the transaction
		 * @param place the place of the statement
		 * @throws SQLException if the statement, or the COMMIT sent with it, fails
		 */
		void send(Connection connection, Place place) throws SQLException;

	}

	/**
	 * The place of the last statement.
	 */
	enum Place {

		/**
		 * In one message with the COMMIT: nothing else of the transaction comes after it.
		 */
		WITH_COMMIT,

		/**
		 * Before the COMMIT that the transaction manager sends: callbacks of the
		 * application are still to come, and may write.
		 */
		BEFORE_COMMIT

	}

}
