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
package dev.idempotency.store.jdbc.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.operator.RequestHistory.Kind;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.RecordStatements;

/**
 * Executes {@link PostgresStatements}: each method is one message.
 */
final class PostgresRecords implements RecordStatements {

	@Override
	public Attempt acquire(Connection connection, Identity identity) throws SQLException {
		return AttemptQuery.acquire(connection, identity);
	}

	@Override
	public Attempt probe(Connection connection, Identity identity) throws SQLException {
		// The message is a transaction, and the lock ends with it.
		return AttemptQuery.acquire(connection, identity);
	}

	@Override
	public Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		Attempt claimed = NewLease.claim(connection, request, namespace, open);
		return (claimed != null) ? claimed : AttemptQuery.lease(connection, request, namespace, open);
	}

	@Override
	public boolean finish(Connection connection, FinishedRecord finished) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.FINISH)) {
			bind(statement, 0, finished);
			return statement.executeUpdate() == 1;
		}
	}

	@Override
	public boolean finishesWithCommit() {
		return true;
	}

	@Override
	public void finishAndCommit(Connection connection, FinishedRecord finished) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.FINISH_AND_COMMIT)) {
			bind(statement, 0, finished);
			statement.execute();
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex, finished);
		}
	}

	@Override
	public int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOwnerStatements.EXTEND)) {
			statement.setDouble(1, seconds(duration));
			bind(statement, 1, leases);
			return statement.executeUpdate();
		}
	}

	@Override
	public boolean confirm(Connection connection, Lease lease, Effect effect) throws SQLException {
		return new Jdbc(connection).update(PostgresOwnerStatements.CONFIRM, effect == Effect.ONCE,
				lease.identity().digest(), lease.fence()) == 1;
	}

	@Override
	public void confirmAndCommit(Connection connection, Lease lease, Effect effect) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOwnerStatements.CONFIRM_AND_COMMIT)) {
			statement.setBoolean(1, effect == Effect.ONCE);
			bind(statement, 1, lease);
			statement.execute();
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex);
		}
	}

	@Override
	public boolean isHeld(Connection connection, Lease lease) throws SQLException {
		return new Jdbc(connection).exists(PostgresOwnerStatements.IS_HELD, lease.identity().digest(), lease.fence());
	}

	@Override
	public boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOwnerStatements.hold(isolation))) {
			statement.setLong(1, lease.identity().lockKey());
			bind(statement, 1, lease);
			statement.execute();
			int last = (isolation == Isolation.DEFAULT) ? 1 : 2;
			for (int i = 0; i < last; i++) {
				statement.getMoreResults();
			}
			return statement.getResultSet().next();
		}
	}

	@Override
	public boolean advance(Connection connection, Lease lease, @Nullable String from, String recoveryPoint,
			byte[] steps, Duration duration) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOwnerStatements.ADVANCE)) {
			statement.setString(1, recoveryPoint);
			statement.setBytes(2, steps);
			statement.setDouble(3, seconds(duration));
			statement.setString(4, HistoryText.line(Kind.STEP, recoveryPoint));
			bind(statement, 4, lease);
			// Of a type also where it is null, or the statement is prepared again
			statement.setString(7, from);
			return statement.executeUpdate() == 1;
		}
	}

	@Override
	public Optional<Progress> progress(Connection connection, Lease lease) throws SQLException {
		return new Jdbc(connection)
			.query(PostgresOwnerStatements.PROGRESS,
					(row) -> new Progress(row.getInt(1), row.getString(2), row.getBytes(3)), lease.identity().digest(),
					lease.fence())
			.stream()
			.findFirst();
	}

	@Override
	public int interrupt(Connection connection, Lease lease, Interruption interruption) throws SQLException {
		return new Jdbc(connection).update(PostgresOwnerStatements.INTERRUPT, interruption.error(),
				interruption.counted() ? 0 : 1, interruption.counted(),
				HistoryText.line(Kind.INTERRUPTED, interruption.error()), lease.identity().digest(), lease.fence());
	}

	@Override
	public boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.FINISH_LEASE)) {
			bind(statement, 0, lease);
			bind(statement, 2, finished);
			return statement.executeUpdate() == 1;
		}
	}

	@Override
	public void finishAndCommit(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.FINISH_LEASE_AND_COMMIT)) {
			bind(statement, 0, lease);
			bind(statement, 2, finished);
			statement.execute();
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex);
		}
	}

	@Override
	public int release(Connection connection, Lease lease) throws SQLException {
		return new Jdbc(connection).update(PostgresOwnerStatements.RELEASE, lease.identity().digest(), lease.fence());
	}

	@Override
	public boolean supersede(Connection connection, Lease lease) throws SQLException {
		return new Jdbc(connection).update(PostgresOwnerStatements.SUPERSEDE, lease.identity().digest(),
				lease.fence()) == 1;
	}

	@Override
	public int abandon(Connection connection, Collection<Lease> leases) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOwnerStatements.ABANDON)) {
			bind(statement, 0, leases);
			return statement.executeUpdate();
		}
	}

	@Override
	public int deleteExpired(Connection connection, int limit) throws SQLException {
		return ExpiredRecords.delete(connection, limit);
	}

	@Override
	public Instant now(Connection connection) throws SQLException {
		return new Jdbc(connection).queryOne(PostgresStatements.NOW,
				(row) -> row.getObject(1, OffsetDateTime.class).toInstant());
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
		statement.setLong(offset + 7, finished.token());
		statement.setDouble(offset + 8, seconds(finished.ttl()));
	}

	private static void bind(PreparedStatement statement, int offset, Collection<Lease> leases) throws SQLException {
		Connection connection = statement.getConnection();
		// The driver takes the element type from the array's: no Object[]
		byte[][] ids = leases.stream().map((lease) -> lease.identity().digest()).toArray(byte[][]::new);
		Object[] fences = leases.stream().map(Lease::fence).toArray();
		statement.setArray(offset + 1, connection.createArrayOf("bytea", ids));
		statement.setArray(offset + 2, connection.createArrayOf("bigint", fences));
	}

	static double seconds(Duration duration) {
		return duration.toNanos() / 1e9;
	}

}
