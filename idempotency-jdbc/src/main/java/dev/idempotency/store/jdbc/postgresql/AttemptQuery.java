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
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.jdbc.sql.FoundAttempt;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The two statements of PostgreSQL that decide whether a request runs, each one round
 * trip with several results.
 */
final class AttemptQuery {

	private AttemptQuery() {
	}

	static Attempt acquire(Connection connection, Identity identity) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.ACQUIRE)) {
			statement.setLong(1, identity.lockKey());
			statement.setBytes(2, identity.digest());
			statement.setBytes(3, identity.digest());
			statement.execute();
			boolean acquired = readBoolean(statement);
			statement.getMoreResults();
			return FoundAttempt.acquired(acquired, readFound(statement, identity));
		}
	}

	static Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		OpenRequests.Counted known = open.of(request);
		try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.LEASE)) {
			bind(statement, request, namespace);
			statement.execute();
			statement.getMoreResults();
			Attempt taken = readTaken(statement, request, open, known);
			statement.getMoreResults();
			Attempt found = readFound(statement, request.identity());
			if (found == null) {
				return (taken instanceof Attempt.Limited) ? taken : new Attempt.Busy();
			}
			return (taken instanceof Attempt.Leased mine && found instanceof Attempt.LeasedElsewhere present
					&& mine.lease().equals(present.lease())) ? mine : found;
		}
	}

	private static void bind(PreparedStatement statement, LeaseRequest request, String namespace) throws SQLException {
		byte[] id = request.identity().digest();
		byte[] account = request.identity().account();
		int maxOpen = request.limits().maxOpen();
		int maxStuck = request.limits().maxStuck();
		statement.setLong(1, request.identity().lockKey());
		statement.setLong(2, request.identity().lockKey());
		statement.setBytes(3, id);
		statement.setBytes(4, id);
		statement.setString(5, namespace);
		statement.setBytes(6, account);
		statement.setInt(7, maxOpen);
		statement.setInt(8, maxOpen);
		bindLimit(statement, 9, maxStuck, namespace, account);
		bindNew(statement, 13, request, namespace);
		statement.setBoolean(21, request.takeover());
		statement.setInt(22, request.maxAttempts());
		statement.setBytes(23, id);
		statement.setBytes(24, id);
		statement.setBytes(25, id);
	}

	/**
	 * Binds the eight columns of a new lease that are not made by the database.
	 * @param first the position of the first one
	 */
	static void bindNew(PreparedStatement statement, int first, LeaseRequest request, String namespace)
			throws SQLException {
		statement.setBytes(first, request.identity().digest());
		statement.setString(first + 1, namespace);
		statement.setBytes(first + 2, request.identity().account());
		statement.setString(first + 3, request.operation());
		statement.setBytes(first + 4, request.fingerprint());
		statement.setBytes(first + 5, request.command());
		statement.setLong(first + 6, Syntax.micros(request.duration()));
		statement.setString(first + 7, HistoryText.CLAIMED);
	}

	/**
	 * Binds a limit, and the account that it applies to.
	 * @param first the position of the first of four
	 */
	static void bindLimit(PreparedStatement statement, int first, int limit, String namespace, byte[] account)
			throws SQLException {
		statement.setInt(first, limit);
		statement.setString(first + 1, namespace);
		statement.setBytes(first + 2, account);
		statement.setInt(first + 3, limit);
	}

	static boolean readBoolean(PreparedStatement statement) throws SQLException {
		try (ResultSet row = statement.getResultSet()) {
			return row.next() && row.getBoolean(1);
		}
	}

	private static @Nullable Attempt readTaken(PreparedStatement statement, LeaseRequest request, OpenRequests requests,
			OpenRequests.Counted known) throws SQLException {
		try (ResultSet row = statement.getResultSet()) {
			if (!row.next()) {
				return null;
			}
			long fence = row.getLong(1);
			if (row.wasNull()) {
				return new Attempt.Limited();
			}
			long open = row.getLong(5);
			if (!row.wasNull()) {
				requests.claimed(request, known, fence, open);
			}
			return new Attempt.Leased(new Lease(request.identity(), fence),
					new Progress(row.getInt(2), row.getString(3), row.getBytes(4)));
		}
	}

	private static @Nullable Attempt readFound(PreparedStatement statement, Identity identity) throws SQLException {
		return FoundAttempt.of(Jdbc.read(statement.getResultSet(), (row) -> FoundAttempt.read(row, identity)));
	}

}
