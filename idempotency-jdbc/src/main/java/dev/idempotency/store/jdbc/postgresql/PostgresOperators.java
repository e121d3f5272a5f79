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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
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
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OperatorStatements;

/**
 * Executes {@link PostgresOperatorStatements}: each method is one statement.
 */
final class PostgresOperators implements OperatorStatements {

	private static final byte[] START = {};

	@Override
	public Overview overview(Connection connection, String namespace) throws SQLException {
		return new Jdbc(connection).queryOne(PostgresOperatorStatements.OVERVIEW, (row) -> {
			String operation = row.getString(6);
			Overview.Oldest oldest = (operation != null)
					? new Overview.Oldest(Duration.ofMillis((long) (row.getDouble(5) * 1000)), operation) : null;
			return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
		}, namespace, namespace, namespace);
	}

	@Override
	public Optional<KeptRecord> find(Connection connection, Identity identity) throws SQLException {
		return new Jdbc(connection)
			.query(PostgresOperatorStatements.FIND,
					(row) -> new KeptRecord(new Identity(identity.digest(), row.getBytes(1)), row.getString(2),
							row.getBytes(7), new StoredAnswer(row.getShort(3), row.getBytes(4)), instant(row, 5),
							instant(row, 6), HistoryText.parse(row.getString(8))),
					(Object) identity.digest())
			.stream()
			.findFirst();
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	@Override
	public List<Identity> between(Connection connection, String namespace, byte[] first, byte[] last, int limit)
			throws SQLException {
		return new Jdbc(connection).query(PostgresOperatorStatements.BETWEEN,
				(row) -> new Identity(row.getBytes(1), row.getBytes(2)), first, last, namespace, first, last, limit);
	}

	@Override
	public int countUnfinished(Connection connection, String namespace, byte[] account) throws SQLException {
		return new Jdbc(connection).queryOne(PostgresOperatorStatements.COUNT_UNFINISHED, (row) -> row.getInt(1),
				namespace, account);
	}

	@Override
	public int deleteUnfinished(Connection connection, String namespace, byte[] account) throws SQLException {
		return new Jdbc(connection).update(PostgresOperatorStatements.DELETE_UNFINISHED, namespace, account);
	}

	@Override
	public Sweep deleteFinished(Connection connection, byte[] account, byte @Nullable [] after, int limit)
			throws SQLException {
		return new Jdbc(connection).queryOne(PostgresOperatorStatements.DELETE_FINISHED,
				(row) -> new Sweep(identities(row.getArray(1), account), row.getBytes(2)),
				(after != null) ? after : START, limit, account, limit);
	}

	private static List<Identity> identities(@Nullable Array ids, byte[] account) throws SQLException {
		return (ids != null) ? Stream.of((byte[][]) ids.getArray()).map((id) -> new Identity(id, account)).toList()
				: List.of();
	}

}
