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
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Work of the store on a separate connection, which commits it. The work is bounded in
 * time, even if the network loses a message, and reads what was committed before each
 * statement, regardless of the application's isolation: a later statement of a message
 * has to see what was committed while an earlier one waited for a lock.
 */
public final class OwnConnection {

	private static final OwnTransactions READ_COMMITTED = new OneTransaction(OwnConnection::setReadCommitted);

	private static final OwnTransactions COMPLETE_MESSAGE = new OneTransaction((connection) -> {
	});

	private final StoreConnections connections;

	private final OwnTransactions transactions;

	private final NetworkTimeout timeout;

	/**
	 * The isolation of the connections, read once: all connections of a pool are alike.
	 */
	private volatile @Nullable Integer isolation;

	/**
	 * Creates an instance.
	 * @param connections the connections of the business transactions
	 * @param transactions make the work a transaction
	 * @param timeout the time that the database may take to answer
	 */
	public OwnConnection(StoreConnections connections, OwnTransactions transactions, Duration timeout) {
		this.connections = connections;
		this.transactions = transactions;
		this.timeout = NetworkTimeout.of(timeout);
	}

	NetworkTimeout timeout() {
		return this.timeout;
	}

	public <T extends @Nullable Object> T run(ConnectionWork<T> work) {
		return run(this.timeout, work);
	}

	public <T extends @Nullable Object> T run(NetworkTimeout limit, ConnectionWork<T> work) {
		return this.connections.separately((connection) -> limit.run(connection,
				(timed) -> (readsCommitted(timed) ? this.transactions : READ_COMMITTED).run(timed, work)));
	}

	/**
	 * Runs work that is one message at any isolation: outside auto-commit mode it sets
	 * its isolation and commits itself, if the database can.
	 */
	<T extends @Nullable Object> T runMessage(NetworkTimeout limit, ConnectionWork<T> work) {
		return this.connections.separately((connection) -> runMessage(connection, limit, work));
	}

	<T extends @Nullable Object> T runMessage(Connection connection, NetworkTimeout limit, ConnectionWork<T> work)
			throws SQLException {
		return limit.run(connection,
				(timed) -> (readsCommitted(timed) ? this.transactions : COMPLETE_MESSAGE).run(timed, work));
	}

	private boolean readsCommitted(Connection connection) throws SQLException {
		return this.transactions.setsIsolation() || isolation(connection) == Connection.TRANSACTION_READ_COMMITTED;
	}

	/**
	 * Sets the isolation of the transaction. JDBC would set that of the session, which a
	 * transaction pooler hands to others. If the host is lost between two messages, the
	 * server notices it soon.
	 */
	private static void setReadCommitted(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("set transaction isolation level read committed; set local tcp_keepalives_idle = 15; "
					+ "set local tcp_keepalives_interval = 2");
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
	 * Returns whether a statement of a transaction with the application's isolation sees
	 * everything committed before it, as far as is known.
	 */
	public boolean isDefault() {
		Integer known = this.isolation;
		return this.transactions.setsIsolation() || known == null || known == Connection.TRANSACTION_READ_COMMITTED;
	}

}
