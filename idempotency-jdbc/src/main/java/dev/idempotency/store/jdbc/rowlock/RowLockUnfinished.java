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
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;

/**
 * Unfinished requests by plain statements: rows are locked, changed and read, in one
 * transaction.
 *
 * @param own the connection of each method
 * @param namespace the application
 * @param syntax the parts of statements that differ between databases
 * @param claims the source of fences
 */
record RowLockUnfinished(OwnConnection own, String namespace, Syntax syntax,
		RowLockClaims claims) implements UnfinishedStore {

	private static final String UNFINISHED = """
			select id, account, fence, operation, fingerprint, timestampdiff(microsecond, :epoch, created_at),
				timestampdiff(microsecond, :epoch, lease_until), lease_until > :now, effects, attempts,
				recovery_point, :steps, :command, timestampdiff(microsecond, :epoch, retry_at),
				timestampdiff(microsecond, :epoch, stuck_at), last_error, history
			from idempotency_lease
			""";

	private static final String LIST = UNFINISHED.replace(":steps", "null").replace(":command", "null") + """
			where namespace = ? and :order >= timestampadd(microsecond, ?, :epoch)
				and (:order > timestampadd(microsecond, ?, :epoch) or id > ?)
			order by namespace, :order, id limit ?""";

	private static final String WITH_CONTENT = UNFINISHED.replace(":steps", "steps").replace(":command", "command");

	private static final String LOCK_LEFTOVERS = """
			select id from idempotency_lease
			where namespace = ? and stuck_created_at is null and lease_until <= :now and
			""" + RecordSql.LEFTOVER + " for update skip locked";

	private static final String DELETE_LEASE = "delete from idempotency_lease where id = ?";

	private static final String FIND_DUE = """
			select id, fence, row_number() over (partition by account order by due_at, id) as turn
			from (select id, account, fence,
					coalesce(retry_at, timestampadd(microsecond, ?, lease_until)) as due_at
				from idempotency_lease
				where namespace = ? and lease_until <= :now and not effects and stuck_created_at is null
					and command is not null and attempts - uncounted < ?
					and not
			""" + RecordSql.LEFTOVER + """
				) waiting
			where due_at <= :now order by turn, rand()""";

	private static final String LOCK_DUE = """
			select attempts - uncounted from idempotency_lease
			where id = ? and fence = ? and lease_until <= :now and not effects and stuck_at is null
			for update skip locked""";

	private static final String CLAIM_DUE = """
			update idempotency_lease set fence = ?, attempts = attempts + 1,
				lease_until = timestampadd(microsecond, ?, :now), retry_at = timestampadd(microsecond, ?, :now),
				:history
			where id = ?""";

	private static final String LOCK_STUCK = """
			select id, operation from idempotency_lease
			where namespace = ? and lease_until <= :now and stuck_created_at is null
				and (effects or attempts - uncounted >= ?
					or lease_until < timestampadd(microsecond, ?, :now))
				and not
			""" + RecordSql.LEFTOVER + """
			for update skip locked""";

	private static final String MARK_STUCK = "update idempotency_lease set stuck_at = :now where id = ?";

	private static final String FIND = WITH_CONTENT + "where namespace = ? and id = ?";

	static final String LIST_ALL = LIST.replace(":order", "created_at");

	static final String LIST_STUCK = LIST.replace(":order", "stuck_created_at");

	private static final String RETRY = """
			update idempotency_lease set fence = ?, stuck_at = null, uncounted = attempts, retry_at = :now,
				lease_until = :now, effects = false, :history
			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= :now""";

	private static final String CLAIM = """
			update idempotency_lease set fence = ?, lease_until = timestampadd(microsecond, ?, :now), :history
			where namespace = ? and id = ? and fence = ? and lease_until <= :now""";

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		return run((jdbc) -> claimDue(jdbc, request)).stream().map(UnfinishedRecord::toRecovery).toList();
	}

	private List<UnfinishedRecord> claimDue(Jdbc jdbc, RecoveryRequest request) throws SQLException {
		deleteLeftovers(jdbc);
		List<Due> queue = jdbc.query(FIND_DUE, (row) -> new Due(row.getBytes(1), row.getLong(2)),
				Syntax.micros(request.after()), this.namespace, request.maxAttempts());
		List<UnfinishedRecord> claimed = new ArrayList<>();
		for (Due due : queue) {
			if (claimed.size() == request.limit()) {
				break;
			}
			// Nobody's lock is waited for, and no row is locked that is not claimed.
			List<Integer> counted = jdbc.query(LOCK_DUE, (row) -> row.getInt(1), due.id(), due.fence());
			if (!counted.isEmpty()) {
				jdbc.update(CLAIM_DUE, this.claims.nextFence(jdbc.connection()), Syntax.micros(request.lease()),
						Syntax.micros(request.backoff().spreadAfter(counted.get(0) + 1)), HistoryText.CLAIMED,
						due.id());
				claimed.addAll(query(jdbc, FIND, this.namespace, due.id()));
			}
		}
		return claimed;
	}

	private void deleteLeftovers(Jdbc jdbc) throws SQLException {
		List<byte[]> ids = jdbc.query(LOCK_LEFTOVERS, (row) -> row.getBytes(1), this.namespace);
		jdbc.updateEach(DELETE_LEASE, ids.stream().map((id) -> new Object[] { id }).toList());
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return run((jdbc) -> {
			deleteLeftovers(jdbc);
			List<byte[]> ids = new ArrayList<>();
			List<String> operations = jdbc.query(LOCK_STUCK, (row) -> {
				ids.add(row.getBytes(1));
				return row.getString(2);
			}, this.namespace, maxAttempts, -Syntax.micros(keep));
			jdbc.updateEach(MARK_STUCK, ids.stream().map((id) -> new Object[] { id }).toList());
			return operations;
		});
	}

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return run((jdbc) -> query(jdbc, FIND, this.namespace, identity.digest())).stream().findFirst();
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = (filter == Filter.STUCK) ? LIST_STUCK : LIST_ALL;
		long micros = Syntax.micros(Duration.between(Instant.EPOCH, after.createdAt()));
		return run((jdbc) -> query(jdbc, list, this.namespace, micros, micros, after.identity().digest(), limit));
	}

	@Override
	public boolean retry(UnfinishedRecord seen) {
		Lease lease = seen.lease();
		return run((jdbc) -> jdbc.update(RETRY, this.claims.nextFence(jdbc.connection()),
				HistoryText.line(Kind.RETRIED, null), this.namespace, lease.identity().digest(), lease.fence(),
				seen.effects())) == 1;
	}

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		byte[] id = seen.lease().identity().digest();
		return run((jdbc) -> {
			int claimed = jdbc.update(CLAIM, this.claims.nextFence(jdbc.connection()), Syntax.micros(lease),
					HistoryText.CLAIMED, this.namespace, id, seen.lease().fence());
			return (claimed == 1) ? query(jdbc, FIND, this.namespace, id) : List.<UnfinishedRecord>of();
		}).stream().findFirst();
	}

	private static List<UnfinishedRecord> query(Jdbc jdbc, String sql, Object... parameters) throws SQLException {
		return jdbc.query(sql, RowLockUnfinished::read, parameters);
	}

	private <T> T run(Jdbc.Work<T> work) {
		return this.own.run((connection) -> work.apply(this.syntax.on(connection)));
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
