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

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.OperatorStore.Sweep;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.jdbc.sql.OperatorStatements;

/**
 * Executes {@link PostgresOperatorStatements}.
 */
final class PostgresOperators implements OperatorStatements {

	private static final byte[] START = {};

	@Override
	public Overview overview(Connection connection, String namespace) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.OVERVIEW)) {
			statement.setString(1, namespace);
			statement.setString(2, namespace);
			statement.setString(3, namespace);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				String operation = row.getString(6);
				Overview.Oldest oldest = (operation != null)
						? new Overview.Oldest(Duration.ofMillis((long) (row.getDouble(5) * 1000)), operation) : null;
				return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
			}
		}
	}

	@Override
	public Optional<KeptRecord> find(Connection connection, Identity identity) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.FIND)) {
			statement.setBytes(1, identity.digest());
			try (ResultSet row = statement.executeQuery()) {
				return row.next() ? Optional.of(new KeptRecord(new Identity(identity.digest(), row.getBytes(1)),
						row.getString(2), row.getBytes(7), new StoredAnswer(row.getShort(3), row.getBytes(4)),
						instant(row, 5), instant(row, 6), HistoryText.parse(row.getString(8)))) : Optional.empty();
			}
		}
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	@Override
	public List<Identity> between(Connection connection, String namespace, byte[] first, byte[] last, int limit)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.BETWEEN)) {
			statement.setBytes(1, first);
			statement.setBytes(2, last);
			statement.setString(3, namespace);
			statement.setBytes(4, first);
			statement.setBytes(5, last);
			statement.setInt(6, limit);
			try (ResultSet row = statement.executeQuery()) {
				List<Identity> found = new ArrayList<>();
				while (row.next()) {
					found.add(new Identity(row.getBytes(1), row.getBytes(2)));
				}
				return found;
			}
		}
	}

	@Override
	public int countUnfinished(Connection connection, String namespace, byte[] account) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.COUNT_UNFINISHED)) {
			bind(statement, namespace, account);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return row.getInt(1);
			}
		}
	}

	@Override
	public int deleteUnfinished(Connection connection, String namespace, byte[] account) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.DELETE_UNFINISHED)) {
			bind(statement, namespace, account);
			return statement.executeUpdate();
		}
	}

	private static void bind(PreparedStatement statement, String namespace, byte[] account) throws SQLException {
		statement.setString(1, namespace);
		statement.setBytes(2, account);
	}

	@Override
	public Sweep deleteFinished(Connection connection, byte[] account, byte @Nullable [] after, int limit)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PostgresOperatorStatements.DELETE_FINISHED)) {
			statement.setBytes(1, (after != null) ? after : START);
			statement.setInt(2, limit);
			statement.setBytes(3, account);
			statement.setInt(4, limit);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return new Sweep(identities(row.getArray(1), account), row.getBytes(2));
			}
		}
	}

	private static List<Identity> identities(@Nullable Array ids, byte[] account) throws SQLException {
		return (ids != null) ? Stream.of((byte[][]) ids.getArray()).map((id) -> new Identity(id, account)).toList()
				: List.of();
	}

}
