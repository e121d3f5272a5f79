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

import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The work of a store: on the connection of the current transaction, which its caller
 * ends, or on a separate connection, where the work is one transaction. Both are bounded
 * in time, even if the network loses a message.
 * <p>
 * Separate work reads what was committed before each statement, regardless of the
 * application's isolation: a later statement of a message has to see what was committed
 * while an earlier one waited for a lock. Where each piece of work is one message, it
 * commits automatically, and a transaction is begun for it only on connections with
 * another isolation. A transaction that the database has ended with a deadlock has left
 * nothing behind, and is repeated.
 */
final class Jdbc {

	private static final String DEADLOCK = "40001";

	private static final int ATTEMPTS = 10;

	private static final Executor SAME_THREAD = Runnable::run;

	private static final Action WITH_FIRST_STATEMENT = (session) -> {
	};

	private final StoreConnections connections;

	private final Duration timeout;

	private final Action begin;

	private final boolean messages;

	/**
	 * The isolation of the connections, read once: all connections of a pool are alike.
	 */
	private volatile @Nullable Integer isolation;

	private Jdbc(StoreConnections connections, Duration timeout, Action begin, boolean messages) {
		this.connections = connections;
		this.timeout = timeout;
		this.begin = begin;
		this.messages = messages;
	}

	/**
	 * Creates an instance for a database to which all separate work is one message.
	 * @param connections the connections of the business transactions
	 * @param timeout the time that the database may take to answer
	 * @param begin begins a transaction at READ COMMITTED, on a connection with another
	 * isolation
	 */
	static Jdbc ofMessages(StoreConnections connections, Duration timeout, Action begin) {
		return new Jdbc(connections, timeout, begin, true);
	}

	/**
	 * Creates an instance for a database to which separate work is several messages.
	 * @param connections the connections of the business transactions
	 * @param timeout the time that the database may take to answer
	 * @param begin begins a transaction at READ COMMITTED
	 */
	static Jdbc ofTransactions(StoreConnections connections, Duration timeout, Action begin) {
		return new Jdbc(connections, timeout, begin, false);
	}

	StoreConnections connections() {
		return this.connections;
	}

	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Runs work on the connection of the current transaction.
	 */
	<T extends @Nullable Object> T inTransaction(Work<T> work) {
		return this.connections.inTransaction((connection) -> within(this.timeout, connection, work));
	}

	/**
	 * Runs work in the current transaction if there is one, otherwise separately.
	 */
	<T extends @Nullable Object> T inTransactionOrSeparately(Work<T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work) : separately(work);
	}

	/**
	 * Runs work on a separate connection, and commits it.
	 */
	<T extends @Nullable Object> T separately(Work<T> work) {
		return separately(this.timeout, work);
	}

	<T extends @Nullable Object> T separately(Duration limit, Work<T> work) {
		return this.connections.separately((connection) -> commit(connection, limit, this.begin, work));
	}

	/**
	 * Runs work that is one message at any isolation: outside auto-commit mode it sets
	 * its isolation and commits itself, if the database can.
	 */
	<T extends @Nullable Object> T separateMessage(Duration limit, Work<T> work) {
		return this.connections.separately((connection) -> separateMessage(connection, limit, work));
	}

	<T extends @Nullable Object> T separateMessage(Connection connection, Duration limit, Work<T> work)
			throws SQLException {
		return commit(connection, limit, this.messages ? WITH_FIRST_STATEMENT : this.begin, work);
	}

	/**
	 * Leaves work to the commit of the current transaction.
	 * @param committing writes, and sends the COMMIT in the same message
	 * @param before writes, before the COMMIT that the transaction manager sends
	 * @return {@code false} if nothing was done
	 */
	boolean withCommit(Action committing, Action before) {
		return this.connections.sendLast(last(committing, before));
	}

	/**
	 * Leaves work to the commit of the current transaction like {@link #withCommit},
	 * while its callbacks are being called.
	 */
	boolean withBegunCommit(Action committing, Action before) {
		return this.connections.sendLastInCommit(last(committing, before));
	}

	private StoreConnections.LastStatement last(Action committing, Action before) {
		return (connection, place) -> within(this.timeout, connection, (session) -> {
			switch (place) {
				case WITH_COMMIT -> committing.run(session);
				case BEFORE_COMMIT -> before.run(session);
			}
			return true;
		});
	}

	/**
	 * Returns whether a statement of a transaction with the application's isolation sees
	 * everything committed before it, as far as is known.
	 */
	boolean readsCommitted() {
		Integer known = this.isolation;
		return !this.messages || known == null || known == Connection.TRANSACTION_READ_COMMITTED;
	}

	/**
	 * Limits the time for which each statement waits for the database. In contrast to a
	 * statement's own timeout this also detects a database that is silently unreachable.
	 */
	private static <T extends @Nullable Object> T within(Duration limit, Connection connection, Work<T> work)
			throws SQLException {
		int before = connection.getNetworkTimeout();
		connection.setNetworkTimeout(SAME_THREAD, Math.toIntExact(Math.max(1, limit.toMillis())));
		try {
			return work.run(new Session(connection));
		}
		finally {
			if (!connection.isClosed()) {
				connection.setNetworkTimeout(SAME_THREAD, before);
			}
		}
	}

	private <T extends @Nullable Object> T commit(Connection connection, Duration limit, Action begin, Work<T> work)
			throws SQLException {
		return within(limit, connection, (session) -> {
			if (!this.messages || isolation(connection) != Connection.TRANSACTION_READ_COMMITTED) {
				return commitTransaction(session, begin, work);
			}
			T result = work.run(session);
			// Some pools are configured without auto-commit.
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
			return result;
		});
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

	private static <T extends @Nullable Object> T commitTransaction(Session session, Action begin, Work<T> work)
			throws SQLException {
		for (int attempt = 1;; attempt++) {
			try {
				return tryTransaction(session, begin, work);
			}
			catch (SQLException ex) {
				if (attempt == ATTEMPTS || !DEADLOCK.equals(ex.getSQLState())) {
					throw ex;
				}
			}
		}
	}

	private static <T extends @Nullable Object> T tryTransaction(Session session, Action begin, Work<T> work)
			throws SQLException {
		Connection connection = session.connection();
		boolean autoCommit = connection.getAutoCommit();
		if (autoCommit) {
			connection.setAutoCommit(false);
		}
		try {
			begin.run(session);
			T result = work.run(session);
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
	 * The statements of a piece of work, on one connection. Spring's templates would
	 * translate the exceptions whose codes report a lock.
	 *
	 * @param connection the connection, for what is not a statement
	 */
	record Session(Connection connection) {

		private static final Object NO_BYTES = new Object();

		/**
		 * The length of bytes whose copy costs more than a stream.
		 */
		private static final int LONG = 1024;

		/**
		 * Returns a parameter for bytes that may be missing. Its type remains the same:
		 * PostgreSQL would otherwise prepare the statement again.
		 */
		static Object bytes(byte @Nullable [] bytes) {
			return (bytes != null) ? bytes : NO_BYTES;
		}

		PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
			PreparedStatement statement = this.connection.prepareStatement(sql);
			for (int i = 0; i < parameters.length; i++) {
				if (parameters[i] == NO_BYTES) {
					statement.setBytes(i + 1, null);
				}
				else if (parameters[i] instanceof ByteArrayInputStream stream) {
					statement.setBinaryStream(i + 1, stream, stream.available());
				}
				else {
					statement.setObject(i + 1, parameters[i]);
				}
			}
			return statement;
		}

		/**
		 * Executes a message of several statements. PostgreSQL's driver copies bytes, but
		 * not a stream. It repeats a statement that was to be prepared again, for which a
		 * stream could not be read again, but never such a message.
		 */
		void execute(String sql, @Nullable Object... parameters) throws SQLException {
			for (int i = 0; i < parameters.length; i++) {
				if (parameters[i] instanceof byte[] bytes && bytes.length > LONG) {
					parameters[i] = new ByteArrayInputStream(bytes);
				}
			}
			try (PreparedStatement statement = prepare(sql, parameters)) {
				statement.execute();
			}
		}

		int update(String sql, @Nullable Object... parameters) throws SQLException {
			try (PreparedStatement statement = prepare(sql, parameters)) {
				return statement.executeUpdate();
			}
		}

		<T> List<T> query(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
			try (PreparedStatement statement = prepare(sql, parameters)) {
				return read(statement.executeQuery(), row);
			}
		}

		<T> Optional<T> first(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
			return query(sql, row, parameters).stream().findFirst();
		}

		<T> T queryOne(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
			return query(sql, row, parameters).get(0);
		}

		boolean exists(String sql, @Nullable Object... parameters) throws SQLException {
			return !query(sql, (row) -> true, parameters).isEmpty();
		}

		/**
		 * Reads all rows of a result, and closes it.
		 */
		static <T> List<T> read(ResultSet rows, Row<T> row) throws SQLException {
			try (rows) {
				List<T> found = new ArrayList<>();
				while (rows.next()) {
					found.add(row.read(rows));
				}
				return found;
			}
		}

	}

	/**
	 * A piece of work.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object> {

		T run(Session session) throws SQLException;

	}

	/**
	 * A piece of work without a result.
	 */
	@FunctionalInterface
	interface Action {

		void run(Session session) throws SQLException;

	}

	/**
	 * Reads the current row.
	 *
	 * @param <T> the type of what it reads
	 */
	@FunctionalInterface
	interface Row<T> {

		T read(ResultSet row) throws SQLException;

	}

}
