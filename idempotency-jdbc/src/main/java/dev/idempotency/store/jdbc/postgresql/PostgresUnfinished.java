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
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.operator.RequestHistory.Kind;
import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Progress;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import dev.idempotency.store.jdbc.sql.UnfinishedStatements;

/**
 * Executes {@link PostgresStatements}: each method is one statement.
 */
final class PostgresUnfinished implements UnfinishedStatements {

	@Override
	public List<UnfinishedRecord> claimDue(Connection connection, String namespace, RecoveryRequest request)
			throws SQLException {
		Backoff backoff = request.backoff();
		try (PreparedStatement statement = connection.prepareStatement(PostgresUnfinishedStatements.CLAIM_DUE)) {
			statement.setString(1, namespace);
			statement.setDouble(2, PostgresRecords.seconds(request.after()));
			statement.setString(3, namespace);
			statement.setInt(4, request.maxAttempts());
			statement.setString(5, namespace);
			statement.setInt(6, request.limit());
			statement.setDouble(7, PostgresRecords.seconds(request.lease()));
			statement.setDouble(8, PostgresRecords.seconds(backoff.max()));
			statement.setDouble(9, PostgresRecords.seconds(backoff.initial()));
			statement.setDouble(10, backoff.multiplier());
			statement.setString(11, HistoryText.CLAIMED);
			try (ResultSet rows = executeSecond(statement)) {
				return read(rows);
			}
		}
	}

	@Override
	public List<String> markStuck(Connection connection, String namespace, int maxAttempts, Duration keep)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresUnfinishedStatements.MARK_STUCK)) {
			statement.setString(1, namespace);
			statement.setString(2, namespace);
			statement.setInt(3, maxAttempts);
			statement.setDouble(4, PostgresRecords.seconds(keep));
			List<String> operations = new ArrayList<>();
			try (ResultSet rows = executeSecond(statement)) {
				while (rows.next()) {
					operations.add(rows.getString(1));
				}
			}
			return operations;
		}
	}

	@Override
	public Optional<UnfinishedRecord> find(Connection connection, String namespace, Identity identity)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresUnfinishedStatements.FIND)) {
			bind(statement, 0, namespace, identity);
			return read(statement).stream().findFirst();
		}
	}

	@Override
	public List<UnfinishedRecord> list(Connection connection, String namespace, Filter filter, Position after,
			int limit) throws SQLException {
		String list = switch (filter) {
			case OPEN -> PostgresUnfinishedStatements.LIST_OPEN;
			case STUCK -> PostgresUnfinishedStatements.LIST_STUCK;
		};
		try (PreparedStatement statement = connection.prepareStatement(list)) {
			statement.setString(1, namespace);
			statement.setObject(2, after.createdAt().atOffset(ZoneOffset.UTC));
			statement.setBytes(3, after.identity().digest());
			statement.setInt(4, limit);
			return read(statement);
		}
	}

	@Override
	public boolean retry(Connection connection, String namespace, Identity identity) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresUnfinishedStatements.RETRY)) {
			statement.setString(1, HistoryText.line(Kind.RETRIED, null));
			bind(statement, 1, namespace, identity);
			return statement.executeUpdate() == 1;
		}
	}

	@Override
	public Optional<UnfinishedRecord> claim(Connection connection, String namespace, Identity identity, Duration lease)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresUnfinishedStatements.CLAIM)) {
			statement.setDouble(1, PostgresRecords.seconds(lease));
			statement.setString(2, HistoryText.CLAIMED);
			bind(statement, 2, namespace, identity);
			return read(statement).stream().findFirst();
		}
	}

	private static void bind(PreparedStatement statement, int offset, String namespace, Identity identity)
			throws SQLException {
		statement.setString(offset + 1, namespace);
		statement.setBytes(offset + 2, identity.digest());
	}

	/**
	 * Executes two statements in one message.
	 * @return the rows of the second
	 */
	private static ResultSet executeSecond(PreparedStatement statement) throws SQLException {
		statement.execute();
		statement.getMoreResults();
		return statement.getResultSet();
	}

	private static List<UnfinishedRecord> read(PreparedStatement statement) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			return read(rows);
		}
	}

	private static List<UnfinishedRecord> read(ResultSet row) throws SQLException {
		List<UnfinishedRecord> requests = new ArrayList<>();
		while (row.next()) {
			Lease lease = new Lease(new Identity(row.getBytes(1), row.getBytes(2)), row.getLong(3));
			Progress progress = new Progress(row.getInt(10), row.getString(11), row.getBytes(12));
			requests.add(new UnfinishedRecord(lease, row.getString(4), row.getBytes(5), requireInstant(row, 6),
					requireInstant(row, 7), row.getBoolean(8), row.getBoolean(9), progress, row.getBytes(13),
					instant(row, 14), instant(row, 15), row.getString(16), HistoryText.parse(row.getString(17))));
		}
		return requests;
	}

	private static Instant requireInstant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
		OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
		return (time != null) ? time.toInstant() : null;
	}

}
