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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.idempotency.operator.RequestHistory.Kind;
import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * Executes {@link PostgresUnfinishedStatements}: each method is one statement.
 *
 * @param own the connection of each
 * @param namespace the application
 */
record PostgresUnfinished(OwnConnection own, String namespace) implements UnfinishedStore {

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		Backoff backoff = request.backoff();
		return query(PostgresUnfinishedStatements.CLAIM_DUE, this.namespace, PostgresRecords.seconds(request.after()),
				this.namespace, request.maxAttempts(), this.namespace, request.limit(),
				PostgresRecords.seconds(request.lease()), PostgresRecords.seconds(backoff.max()),
				PostgresRecords.seconds(backoff.initial()), backoff.multiplier(), HistoryText.CLAIMED)
			.stream()
			.map(UnfinishedRecord::toRecovery)
			.toList();
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return run((jdbc) -> jdbc.query(PostgresUnfinishedStatements.MARK_STUCK, (row) -> row.getString(1),
				this.namespace, this.namespace, maxAttempts, PostgresRecords.seconds(keep)));
	}

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return query(PostgresUnfinishedStatements.FIND, this.namespace, identity.digest()).stream().findFirst();
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = switch (filter) {
			case OPEN -> PostgresUnfinishedStatements.LIST_OPEN;
			case STUCK -> PostgresUnfinishedStatements.LIST_STUCK;
		};
		return query(list, this.namespace, after.createdAt().atOffset(ZoneOffset.UTC), after.identity().digest(),
				limit);
	}

	@Override
	public boolean retry(UnfinishedRecord seen) {
		Lease lease = seen.lease();
		return run((jdbc) -> jdbc.update(PostgresUnfinishedStatements.RETRY, HistoryText.line(Kind.RETRIED, null),
				this.namespace, lease.identity().digest(), lease.fence(), seen.effects())) == 1;
	}

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		return query(PostgresUnfinishedStatements.CLAIM, PostgresRecords.seconds(lease), HistoryText.CLAIMED,
				this.namespace, seen.lease().identity().digest(), seen.lease().fence())
			.stream()
			.findFirst();
	}

	private List<UnfinishedRecord> query(String sql, Object... parameters) {
		return run((jdbc) -> jdbc.query(sql, PostgresUnfinished::read, parameters));
	}

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(new Jdbc(connection)));
	}

	private static UnfinishedRecord read(ResultSet row) throws SQLException {
		Lease lease = new Lease(new Identity(row.getBytes(1), row.getBytes(2)), row.getLong(3));
		Progress progress = new Progress(row.getInt(10), row.getString(11), row.getBytes(12));
		return new UnfinishedRecord(lease, row.getString(4), row.getBytes(5), requireInstant(row, 6),
				requireInstant(row, 7), row.getBoolean(8), row.getBoolean(9), progress, row.getBytes(13),
				instant(row, 14), instant(row, 15), row.getString(16), HistoryText.parse(row.getString(17)));
	}

	private static Instant requireInstant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
		OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
		return (time != null) ? time.toInstant() : null;
	}

}
