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
package dev.idempotency.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.UnfinishedStatements;

/**
 * Unfinished requests by plain statements: rows are locked, changed and read, in one
 * transaction.
 *
 * @param syntax the parts of statements that differ between databases
 * @param claims the source of fences
 */
record RowLockUnfinished(Syntax syntax, RowLockClaims claims) implements UnfinishedStatements {

	@Override
	public List<UnfinishedRecord> claimDue(Connection connection, String namespace, RecoveryRequest request)
			throws SQLException {
		Jdbc jdbc = this.syntax.on(connection);
		deleteLeftovers(jdbc, namespace);
		List<Due> queue = jdbc.query(UnfinishedSql.FIND_DUE, (row) -> new Due(row.getBytes(1), row.getLong(2)),
				Syntax.micros(request.after()), namespace, request.maxAttempts());
		List<UnfinishedRecord> claimed = new ArrayList<>();
		for (Due due : queue) {
			if (claimed.size() == request.limit()) {
				break;
			}
			// Nobody's lock is waited for, and no row is locked that is not claimed.
			List<Integer> counted = jdbc.query(UnfinishedSql.LOCK_DUE, (row) -> row.getInt(1), due.id(), due.fence());
			if (!counted.isEmpty()) {
				jdbc.update(UnfinishedSql.CLAIM_DUE, this.claims.nextFence(connection), Syntax.micros(request.lease()),
						Syntax.micros(request.backoff().spreadAfter(counted.get(0) + 1)), HistoryText.CLAIMED,
						due.id());
				claimed.addAll(read(connection, UnfinishedSql.FIND, namespace, due.id()));
			}
		}
		return claimed;
	}

	private void deleteLeftovers(Jdbc jdbc, String namespace) throws SQLException {
		List<byte[]> ids = jdbc.query(UnfinishedSql.LOCK_LEFTOVERS, (row) -> row.getBytes(1), namespace);
		jdbc.updateEach(UnfinishedSql.DELETE_LEASE, ids.stream().map((id) -> new Object[] { id }).toList());
	}

	@Override
	public List<String> markStuck(Connection connection, String namespace, int maxAttempts, Duration keep)
			throws SQLException {
		Jdbc jdbc = this.syntax.on(connection);
		deleteLeftovers(jdbc, namespace);
		List<byte[]> ids = new ArrayList<>();
		List<String> operations = jdbc.query(UnfinishedSql.LOCK_STUCK, (row) -> {
			ids.add(row.getBytes(1));
			return row.getString(2);
		}, namespace, maxAttempts, -Syntax.micros(keep));
		jdbc.updateEach(UnfinishedSql.MARK_STUCK, ids.stream().map((id) -> new Object[] { id }).toList());
		return operations;
	}

	@Override
	public Optional<UnfinishedRecord> find(Connection connection, String namespace, Identity identity)
			throws SQLException {
		return read(connection, UnfinishedSql.FIND, namespace, identity.digest()).stream().findFirst();
	}

	@Override
	public List<UnfinishedRecord> list(Connection connection, String namespace, Filter filter, Position after,
			int limit) throws SQLException {
		long micros = Syntax.micros(Duration.between(Instant.EPOCH, after.createdAt()));
		return read(connection, (filter == Filter.STUCK) ? UnfinishedSql.LIST_STUCK : UnfinishedSql.LIST_ALL, namespace,
				micros, micros, after.identity().digest(), limit);
	}

	@Override
	public boolean retry(Connection connection, String namespace, Identity identity) throws SQLException {
		return this.syntax.on(connection)
			.update(UnfinishedSql.RETRY, this.claims.nextFence(connection), HistoryText.line(Kind.RETRIED, null),
					namespace, identity.digest()) == 1;
	}

	@Override
	public Optional<UnfinishedRecord> claim(Connection connection, String namespace, Identity identity, Duration lease)
			throws SQLException {
		int claimed = this.syntax.on(connection)
			.update(UnfinishedSql.CLAIM, this.claims.nextFence(connection), Syntax.micros(lease), HistoryText.CLAIMED,
					namespace, identity.digest());
		return (claimed == 1) ? find(connection, namespace, identity) : Optional.empty();
	}

	private List<UnfinishedRecord> read(Connection connection, String sql, Object... parameters) throws SQLException {
		return this.syntax.on(connection).query(sql, RowLockUnfinished::read, parameters);
	}

	private static UnfinishedRecord read(ResultSet row) throws SQLException {
		Lease lease = new Lease(new Identity(row.getBytes(1), row.getBytes(2)), row.getLong(3));
		Progress progress = new Progress(row.getInt(10), row.getString(11), row.getBytes(12));
		return new UnfinishedRecord(lease, row.getString(4), row.getBytes(5), Syntax.instant(row.getLong(6)),
				Syntax.instant(row.getLong(7)), row.getBoolean(8), row.getBoolean(9), progress, row.getBytes(13),
				instant(row, 14), instant(row, 15), row.getString(16), HistoryText.parse(row.getString(17)));
	}

	private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
		long micros = row.getLong(column);
		return row.wasNull() ? null : Syntax.instant(micros);
	}

	/**
	 * A request to be claimed.
	 *
	 * @param id its identity
	 * @param fence its claim
	 */
	private record Due(byte[] id, long fence) {
	}

}
