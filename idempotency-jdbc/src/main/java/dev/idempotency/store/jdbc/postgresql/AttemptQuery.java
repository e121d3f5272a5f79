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

	static Attempt acquire(Jdbc jdbc, Identity identity) throws SQLException {
		byte[] id = identity.digest();
		try (PreparedStatement statement = jdbc.prepare(PostgresStatements.ACQUIRE, identity.lockKey(), id, id)) {
			statement.execute();
			boolean acquired = readBoolean(statement);
			statement.getMoreResults();
			return FoundAttempt.acquired(acquired, readFound(statement, identity));
		}
	}

	static Attempt lease(Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests open) throws SQLException {
		OpenRequests.Counted known = open.of(request);
		long lock = request.identity().lockKey();
		byte[] id = request.identity().digest();
		byte[] account = request.identity().account();
		int maxOpen = request.limits().maxOpen();
		int maxStuck = request.limits().maxStuck();
		try (PreparedStatement statement = jdbc.prepare(PostgresStatements.LEASE, lock, lock, id, id, namespace,
				account, maxOpen, maxOpen, maxStuck, namespace, account, maxStuck, id, namespace, account,
				request.operation(), request.fingerprint(), Jdbc.content(request.command()),
				Syntax.micros(request.duration()), HistoryText.CLAIMED, request.takeover(), request.maxAttempts(), id,
				id, id)) {
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
