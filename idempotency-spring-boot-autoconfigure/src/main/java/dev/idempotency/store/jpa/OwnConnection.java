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
package dev.idempotency.store.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.idempotency.store.jpa.ReadCommitted.Source;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.hibernate.jdbc.ReturningWork;

/**
 * Work on a connection of the store's own, which commits. It is bounded in time, also
 * where the network loses a message, and reads what was committed before each statement,
 * whatever the isolation of the application is.
 */
final class OwnConnection {

	private final EntityManagerFactory entityManagerFactory;

	private final OwnTransactions transactions;

	private final NetworkTimeout timeout;

	private final ReadCommitted readCommitted = new ReadCommitted();

	/**
	 * Create an instance.
	 * @param entityManagerFactory the factory of the business entities
	 * @param transactions how the work becomes a transaction
	 * @param timeout how long the database may take to answer
	 */
	OwnConnection(EntityManagerFactory entityManagerFactory, OwnTransactions transactions, Duration timeout) {
		this.entityManagerFactory = entityManagerFactory;
		this.transactions = transactions;
		this.timeout = NetworkTimeout.of(timeout);
	}

	OwnTransactions transactions() {
		return this.transactions;
	}

	/**
	 * A new entity manager, not the thread's: that one may hold a broken connection, or a
	 * transaction in which nothing of this belongs.
	 */
	<T> T run(ReturningWork<T> work) {
		return run(this.timeout, work);
	}

	<T> T run(NetworkTimeout limit, ReturningWork<T> work) {
		try (EntityManager own = this.entityManagerFactory.createEntityManager()) {
			return own.unwrap(Session.class).doReturningWork((connection) -> run(connection, limit, work));
		}
	}

	/**
	 * As {@link #run(NetworkTimeout, ReturningWork)}, on a connection from elsewhere.
	 */
	<T> T run(Connection connection, NetworkTimeout limit, ReturningWork<T> work) throws SQLException {
		return limit.run(connection,
				(timed) -> (this.transactions.isolation() == Source.CONNECTION)
						? this.readCommitted.run(timed, (set) -> this.transactions.run(set, work))
						: this.transactions.run(timed, work));
	}

	/**
	 * Whether a statement of a transaction with the application's isolation sees what was
	 * committed before it.
	 */
	boolean isDefault() {
		return this.transactions.isolation() != Source.CONNECTION || this.readCommitted.isDefault();
	}

}
