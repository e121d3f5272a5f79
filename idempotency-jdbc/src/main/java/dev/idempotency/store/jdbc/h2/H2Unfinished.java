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
package dev.idempotency.store.jdbc.h2;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.idempotency.store.NodeName;
import dev.idempotency.store.jdbc.connection.OwnConnection;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.SqlUnfinishedStore;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * Unfinished requests by plain statements: rows are locked, changed and read, in one
 * transaction.
 */
final class H2Unfinished extends SqlUnfinishedStore {

	private static final String LIST = "select " + LISTED + """
			from idempotency_lease
			where namespace = ? and :order >= timestampadd(microsecond, ?, :epoch)
				and (:order > timestampadd(microsecond, ?, :epoch) or id > ?)
			order by namespace, :order, id limit ?""";

	private final String lockLeftovers = sql("""
			select id from idempotency_lease
			where namespace = ? and stuck_created_at is null and lease_until <= :now and
			""" + H2Records.LEFTOVER + " for update skip locked");

	private final String deleteLease = sql("delete from idempotency_lease where id = ?");

	private final String findDue = sql("""
			select id, fence, row_number() over (partition by account order by due_at, id) as turn
			from (select id, account, fence,
					coalesce(retry_at, timestampadd(microsecond, ?, lease_until)) as due_at
				from idempotency_lease
				where namespace = ? and lease_until <= :now and not effects and stuck_created_at is null
					and command is not null and not left_to_sender and attempts - uncounted < ?
					and not
			""" + H2Records.LEFTOVER + """
				) waiting
			where due_at <= :now order by turn, rand()""");

	private final String lockDue = sql("""
			select attempts - uncounted from idempotency_lease
			where id = ? and fence = ? and lease_until <= :now and not effects and stuck_at is null
				and not left_to_sender
			for update skip locked""");

	private final String claimDue = sql(
			"""
					update idempotency_lease set fence = :fence, attempts = attempts + 1, lease_until = :later, retry_at = :later,
						node = ?
					where id = ?""");

	private final String lockStuck = sql("""
			select id, operation from idempotency_lease
			where namespace = ? and lease_until <= :now and stuck_created_at is null
				and (effects or attempts - uncounted >= ?
					or lease_until < timestampadd(microsecond, ?, :now))
				and not
			""" + H2Records.LEFTOVER + """
			for update skip locked""");

	private final String markStuck = sql(
			"update idempotency_lease set stuck_at = :now, left_to_sender = false where id = ?");

	final String listAll = sql(LIST.replace(":order", "created_at"));

	final String listStuck = sql(LIST.replace(":order", "stuck_created_at"));

	private final String findOne = sql(FIND);

	private final String claimOne = sql(CLAIM);

	H2Unfinished(OwnConnection own, String namespace, Syntax syntax) {
		super(own, namespace, syntax);
	}

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		return run((jdbc) -> claimDue(jdbc, request)).stream().map(UnfinishedRecord::toRecovery).toList();
	}

	private List<UnfinishedRecord> claimDue(Jdbc jdbc, RecoveryRequest request) throws SQLException {
		deleteLeftovers(jdbc);
		List<Due> queue = jdbc.query(this.findDue, (row) -> new Due(row.getBytes(1), row.getLong(2)),
				Syntax.micros(request.after()), namespace(), request.maxAttempts());
		List<UnfinishedRecord> claimed = new ArrayList<>();
		for (Due due : queue) {
			if (claimed.size() == request.limit()) {
				break;
			}
			// Nobody's lock is waited for, and no row is locked that is not claimed.
			List<Integer> counted = jdbc.query(this.lockDue, (row) -> row.getInt(1), due.id(), due.fence());
			if (!counted.isEmpty()) {
				jdbc.update(this.claimDue, Syntax.micros(request.lease()),
						Syntax.micros(request.backoff().spreadAfter(counted.get(0) + 1)), NodeName.CURRENT, due.id());
				claimed.addAll(jdbc.query(this.findOne, SqlUnfinishedStore::read, namespace(), due.id()));
			}
		}
		return claimed;
	}

	private void deleteLeftovers(Jdbc jdbc) throws SQLException {
		List<byte[]> ids = jdbc.query(this.lockLeftovers, (row) -> row.getBytes(1), namespace());
		jdbc.updateEach(this.deleteLease, ids, (id) -> new Object[] { id });
	}

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return run((jdbc) -> {
			deleteLeftovers(jdbc);
			List<byte[]> ids = new ArrayList<>();
			List<String> operations = jdbc.query(this.lockStuck, (row) -> {
				ids.add(row.getBytes(1));
				return row.getString(2);
			}, namespace(), maxAttempts, -Syntax.micros(keep));
			jdbc.updateEach(this.markStuck, ids, (id) -> new Object[] { id });
			return operations;
		});
	}

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = (filter == Filter.STUCK) ? this.listStuck : this.listAll;
		long micros = Syntax.micros(after.createdAt());
		return query(list, namespace(), micros, micros, after.identity().digest(), limit);
	}

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		byte[] id = seen.lease().identity().digest();
		return run((jdbc) -> {
			int claimed = jdbc.update(this.claimOne, Syntax.micros(lease), NodeName.CURRENT, namespace(), id,
					seen.lease().fence(), seen.effects());
			return (claimed == 1) ? jdbc.query(this.findOne, SqlUnfinishedStore::read, namespace(), id)
					: List.<UnfinishedRecord>of();
		}).stream().findFirst();
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
