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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.Session;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.jdbc.ReturningWork;

import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Interruption;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;

/**
 * The store on the connection of the JPA transaction, or on one of its own where the SPI
 * says so.
 */
public final class JpaIdempotencyStore implements IdempotencyStore {

	private static final Log logger = LogFactory.getLog(JpaIdempotencyStore.class);

	private final OwnConnection ownConnection;

	private final EntityManager entityManager;

	private final SqlDialect dialect;

	private final AttemptQuery attempts;

	private final ExpiredRecords expired;

	/**
	 * Create a store.
	 * @param entityManagerFactory the factory of the business entities
	 * @param timeout how long the database may take to answer before anything was
	 * executed
	 * @param namespace the application, of those that share the tables
	 */
	public JpaIdempotencyStore(EntityManagerFactory entityManagerFactory, Duration timeout, String namespace) {
		this.ownConnection = new OwnConnection(entityManagerFactory);
		this.entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
		this.dialect = SqlDialectResolver.resolve(entityManagerFactory);
		LogEvent.DATABASE_SUPPORTED.log(logger, this.dialect.name() + ": transaction-scoped advisory lock, one insert");
		this.attempts = new AttemptQuery(this.dialect, timeout, namespace);
		this.expired = new ExpiredRecords(this.dialect);
	}

	@Override
	public Attempt acquire(Identity identity) {
		ConnectionReturn.atEndOfTransaction(this.entityManager.unwrap(SessionImplementor.class));
		return inTransaction((connection) -> this.attempts.acquire(connection, identity));
	}

	@Override
	public Attempt probe(Identity identity) {
		return onOwnConnection((connection) -> this.attempts.acquire(connection, identity));
	}

	@Override
	public boolean finish(FinishedRecord finished) {
		return inTransaction((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.finish())) {
				bind(statement, 0, finished);
				return statement.executeUpdate() == 1;
			}
		});
	}

	@Override
	public Attempt lease(LeaseRequest request) {
		return onOwnConnection((connection) -> this.attempts.lease(connection, request));
	}

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.extend())) {
				statement.setDouble(1, seconds(duration));
				bind(statement, 1, leases);
				return statement.executeUpdate();
			}
		});
	}

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return inTransaction((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.confirm())) {
				statement.setBoolean(1, effect == Effect.ONCE);
				bind(statement, 1, lease);
				return statement.executeUpdate() == 1;
			}
		});
	}

	@Override
	public boolean isHeld(Lease lease) {
		return onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.isHeld())) {
				bind(statement, 0, lease);
				return statement.executeQuery().next();
			}
		});
	}

	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		// An open session in view has entities of earlier phases, and would keep its
		// connection while another system is called.
		this.entityManager.clear();
		ConnectionReturn.atEndOfTransaction(this.entityManager.unwrap(SessionImplementor.class));
		return inTransaction((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.hold(isolation))) {
				statement.setLong(1, lease.identity().lockKey());
				bind(statement, 1, lease);
				statement.execute();
				skipResults(statement, (isolation == Isolation.DEFAULT) ? 2 : 3);
				return statement.getResultSet().next();
			}
		});
	}

	@Override
	public boolean advance(Lease lease, String recoveryPoint, byte[] steps, Duration duration) {
		return inTransactionOrOwn((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.advance())) {
				statement.setString(1, recoveryPoint);
				statement.setBytes(2, steps);
				statement.setDouble(3, seconds(duration));
				bind(statement, 3, lease);
				statement.execute();
				skipResults(statement, 1);
				return statement.getUpdateCount() == 1;
			}
		});
	}

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.interrupt())) {
				statement.setString(1, interruption.error());
				statement.setInt(2, interruption.counted() ? 0 : 1);
				statement.setBoolean(3, interruption.counted());
				bind(statement, 3, lease);
				return statement.executeUpdate();
			}
		});
	}

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return inTransactionOrOwn((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.finishLease())) {
				bind(statement, 0, lease);
				bind(statement, 2, finished);
				return statement.executeUpdate() == 1;
			}
		});
	}

	@Override
	public boolean finishPhase(Lease lease, FinishedRecord finished) {
		return inTransaction((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.finishPhase())) {
				bind(statement, 0, lease);
				bind(statement, 2, finished);
				statement.execute();
				skipResults(statement, 1);
				return statement.getUpdateCount() == 1;
			}
		});
	}

	private static void skipResults(PreparedStatement statement, int count) throws SQLException {
		for (int i = 0; i < count; i++) {
			statement.getMoreResults();
		}
	}

	@Override
	public void release(Lease lease) {
		onOwnConnection((connection) -> execute(connection, this.dialect.release(), lease));
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.abandon())) {
				bind(statement, 0, leases);
				return statement.executeUpdate();
			}
		});
	}

	@Override
	public boolean supersede(Lease lease) {
		return inTransaction((connection) -> execute(connection, this.dialect.supersede(), lease));
	}

	@Override
	public int deleteExpired(int limit) {
		return onOwnConnection((connection) -> this.expired.delete(connection, limit));
	}

	@Override
	public Instant now() {
		return onOwnConnection((connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(this.dialect.now());
					ResultSet row = statement.executeQuery()) {
				row.next();
				return row.getObject(1, OffsetDateTime.class).toInstant();
			}
		});
	}

	private static boolean execute(Connection connection, String sql, Lease lease) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			bind(statement, 0, lease);
			return statement.executeUpdate() == 1;
		}
	}

	private static void bind(PreparedStatement statement, int offset, Lease lease) throws SQLException {
		statement.setBytes(offset + 1, lease.identity().digest());
		statement.setLong(offset + 2, lease.fence());
	}

	private static void bind(PreparedStatement statement, int offset, FinishedRecord finished) throws SQLException {
		statement.setBytes(offset + 1, finished.identity().digest());
		statement.setBytes(offset + 2, finished.identity().account());
		statement.setString(offset + 3, finished.operation());
		statement.setBytes(offset + 4, finished.fingerprint());
		statement.setShort(offset + 5, (short) finished.answer().status());
		statement.setBytes(offset + 6, finished.answer().content());
		statement.setDouble(offset + 7, seconds(finished.ttl()));
	}

	private static void bind(PreparedStatement statement, int offset, Collection<Lease> leases) throws SQLException {
		Connection connection = statement.getConnection();
		// The driver takes the element type from the array's: no bytea inside of an
		// Object[]
		byte[][] ids = leases.stream().map((lease) -> lease.identity().digest()).toArray(byte[][]::new);
		Object[] fences = leases.stream().map(Lease::fence).toArray();
		statement.setArray(offset + 1, connection.createArrayOf("bytea", ids));
		statement.setArray(offset + 2, connection.createArrayOf("bigint", fences));
	}

	static double seconds(Duration duration) {
		return duration.toNanos() / 1e9;
	}

	private <T> T inTransactionOrOwn(ReturningWork<T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(work)
				: onOwnConnection(work);
	}

	private <T> T inTransaction(ReturningWork<T> work) {
		return this.entityManager.unwrap(Session.class).doReturningWork(work);
	}

	private <T> T onOwnConnection(ReturningWork<T> work) {
		return this.ownConnection.run(work);
	}

}
