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
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * Executes {@link PostgresOperatorStatements}: each method is one statement.
 *
 * @param own the connection of each
 * @param namespace the application
 */
record PostgresOperators(OwnConnection own, String namespace) implements OperatorStore {

	private static final byte[] START = {};

	@Override
	public Overview overview() {
		return run((jdbc) -> jdbc.queryOne(PostgresOperatorStatements.OVERVIEW, (row) -> {
			String operation = row.getString(6);
			Overview.Oldest oldest = (operation != null)
					? new Overview.Oldest(Duration.ofMillis((long) (row.getDouble(5) * 1000)), operation) : null;
			return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
		}, this.namespace, this.namespace, this.namespace));
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return run((jdbc) -> jdbc.query(PostgresOperatorStatements.FIND,
				(row) -> new KeptRecord(new Identity(identity.digest(), row.getBytes(1)), row.getString(2),
						row.getBytes(7), new StoredAnswer(row.getShort(3), row.getBytes(4)), instant(row, 5),
						instant(row, 6), HistoryText.parse(row.getString(8))),
				(Object) identity.digest()))
			.stream()
			.findFirst();
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return run((jdbc) -> jdbc.query(PostgresOperatorStatements.BETWEEN,
				(row) -> new Identity(row.getBytes(1), row.getBytes(2)), first, last, this.namespace, first, last,
				limit));
	}

	@Override
	public int countUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.queryOne(PostgresOperatorStatements.COUNT_UNFINISHED, (row) -> row.getInt(1),
				this.namespace, account));
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return run((jdbc) -> jdbc.update(PostgresOperatorStatements.DELETE_UNFINISHED, this.namespace, account));
	}

	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		return run((jdbc) -> jdbc.queryOne(PostgresOperatorStatements.DELETE_FINISHED,
				(row) -> new Sweep(identities(row.getArray(1), account), row.getBytes(2)),
				(after != null) ? after : START, limit, account, limit));
	}

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(new Jdbc(connection)));
	}

	private static List<Identity> identities(@Nullable Array ids, byte[] account) throws SQLException {
		return (ids != null) ? Stream.of((byte[][]) ids.getArray()).map((id) -> new Identity(id, account)).toList()
				: List.of();
	}

}
