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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executor;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Session;
import org.hibernate.jdbc.ReturningWork;

import org.springframework.orm.jpa.SharedEntityManagerCreator;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

/**
 * The store on the connection of the JPA transaction.
 */
public final class JpaIdempotencyStore implements IdempotencyStore {

	private static final Executor SAME_THREAD = Runnable::run;

	private final EntityManagerFactory entityManagerFactory;

	private final EntityManager entityManager;

	private final SqlDialect dialect;

	private final Duration timeout;

	/**
	 * Create a store.
	 * @param entityManagerFactory the factory of the business entities
	 * @param timeout how long the database may take to answer before anything was
	 * executed
	 */
	public JpaIdempotencyStore(EntityManagerFactory entityManagerFactory, Duration timeout) {
		this.entityManagerFactory = entityManagerFactory;
		this.entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
		this.dialect = SqlDialect.POSTGRESQL;
		this.timeout = timeout;
	}

	@Override
	public Attempt acquire(Identity identity) {
		return this.entityManager.unwrap(Session.class).doReturningWork((connection) -> acquire(connection, identity));
	}

	@Override
	public Attempt probe(Identity identity) {
		return onOwnConnection((connection) -> acquire(connection, identity));
	}

	private Attempt acquire(Connection connection, Identity identity) throws SQLException {
		int networkTimeout = connection.getNetworkTimeout();
		connection.setNetworkTimeout(SAME_THREAD, Math.toIntExact(this.timeout.toMillis()));
		try (PreparedStatement statement = connection.prepareStatement(this.dialect.acquire())) {
			statement.setLong(1, identity.lockKey());
			statement.setBytes(2, identity.digest());
			statement.execute();
			boolean acquired = readAcquired(statement);
			statement.getMoreResults();
			return readAttempt(statement, acquired);
		}
		finally {
			if (!connection.isClosed()) {
				connection.setNetworkTimeout(SAME_THREAD, networkTimeout);
			}
		}
	}

	private static boolean readAcquired(PreparedStatement statement) throws SQLException {
		try (ResultSet lock = statement.getResultSet()) {
			return lock.next() && lock.getBoolean(1);
		}
	}

	private static Attempt readAttempt(PreparedStatement statement, boolean acquired) throws SQLException {
		try (ResultSet row = statement.getResultSet()) {
			if (row.next()) {
				StoredAnswer answer = new StoredAnswer(row.getShort(2), row.getBytes(3));
				return Attempt.found(new StoredRecord(row.getBytes(1), answer));
			}
			return acquired ? Attempt.acquired() : Attempt.busy();
		}
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return this.entityManager.unwrap(Session.class).doReturningWork((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.finish())) {
				statement.setBytes(1, finished.identity().digest());
				statement.setBytes(2, finished.identity().account());
				statement.setString(3, finished.operation());
				statement.setBytes(4, finished.fingerprint());
				statement.setShort(5, (short) finished.answer().status());
				statement.setBytes(6, finished.answer().content());
				statement.setDouble(7, finished.ttl().toNanos() / 1e9);
				return statement.executeUpdate() == 1;
			}
		});
	}

	@Override
	public int deleteExpired(int limit) {
		return onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.deleteExpired())) {
				statement.setInt(1, limit);
				return statement.executeUpdate();
			}
		});
	}

	/**
	 * A new entity manager, not the thread's: that one may hold a broken connection, or a
	 * transaction in which nothing of this belongs.
	 */
	private <T> T onOwnConnection(ReturningWork<T> work) {
		try (EntityManager own = this.entityManagerFactory.createEntityManager()) {
			return own.unwrap(Session.class).doReturningWork(work);
		}
	}

}
