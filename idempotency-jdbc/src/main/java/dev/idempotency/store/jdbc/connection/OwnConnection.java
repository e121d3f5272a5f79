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
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A separate connection of the store, whose work commits. It is bounded in time, also
 * where the network loses a message, and reads what was committed before each statement,
 * regardless of the application's isolation.
 */
public final class OwnConnection {

	private final StoreConnections connections;

	private final OwnTransactions transactions;

	private final NetworkTimeout timeout;

	private final ReadCommitted readCommitted = new ReadCommitted();

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

	public OwnTransactions transactions() {
		return this.transactions;
	}

	public <T extends @Nullable Object> T run(ConnectionWork<T> work) {
		return run(this.timeout, work);
	}

	/**
	 * Runs work that has no result.
	 */
	public void update(Update work) {
		run((connection) -> {
			work.execute(connection);
			return Boolean.TRUE;
		});
	}

	public <T extends @Nullable Object> T run(NetworkTimeout limit, ConnectionWork<T> work) {
		return this.connections.separately((connection) -> run(connection, limit, work));
	}

	/**
	 * Runs as {@link #run(NetworkTimeout, ConnectionWork)} does, on a given connection.
	 */
	public <T extends @Nullable Object> T run(Connection connection, NetworkTimeout limit, ConnectionWork<T> work)
			throws SQLException {
		return limit.run(connection, (timed) -> this.transactions.setsIsolation() ? this.transactions.run(timed, work)
				: this.readCommitted.run(timed, this.transactions, work));
	}

	/**
	 * Returns whether a statement of a transaction with the application's isolation sees
	 * everything committed before it.
	 */
	public boolean isDefault() {
		return this.transactions.setsIsolation() || this.readCommitted.isDefault();
	}

	/**
	 * Work without a result.
	 */
	@FunctionalInterface
	public interface Update {

		void execute(Connection connection) throws SQLException;

	}

}
