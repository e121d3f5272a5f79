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
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.jdbc.sql.FoundAttempt;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.OpenRequests.Counted;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The claim of a request that has no claim yet:
 * <ol>
 * <li>The lock is tried. Each transaction that makes a lease for the identity, or a
 * record without one, holds it until its commit. The outcome is kept for the second
 * statement in a setting of the transaction: another attempt there could succeed after
 * the snapshot was taken.</li>
 * <li>The snapshot of the second statement is taken after the lock. If it shows neither
 * record nor lease, none exists and no other transaction makes one: the insert does not
 * wait, and nothing has to be read after it.</li>
 * <li>The open requests of the account are counted only if they may have reached the
 * limit: since an older count no more claims can have been made than fences were
 * drawn.</li>
 * </ol>
 */
final class NewLease {

	static final String CLAIM = """
			select set_config('idempotency.locked', pg_try_advisory_xact_lock(?)::text, true);
			with present as materialized (
			""" + PostgresStatements.READ + """
			),
			drawn as materialized (
				select next, case when next >= ? then (
						select count(*) from (select from idempotency_lease
							where namespace = ? and account = ? and stuck_at is null and fence > ? limit ?) as claimed)
					end as since
				from (select nextval('idempotency_fence') as next
					where current_setting('idempotency.locked', true) = 'true'
						and not exists (select from present)) as fence),
			made as (
				insert into idempotency_lease
					(id, namespace, account, operation, fingerprint, command, fence, lease_until, created_at, history)
				select ?, ?, ?, ?, ?, ?, next, clock_timestamp() + ? * interval '1 microsecond', clock_timestamp(),
					concat((extract(epoch from clock_timestamp()) * 1000000)::bigint, ?::text)
				from drawn
				where (since is null or since < ?)
					and (select count(*) < greatest(?, 1) from (select from idempotency_lease
						where namespace = ? and account = ? and stuck_at is not null limit ?) as stuck)
				returning fence)
			select null, null, null, fence, null, null, null, since from made, drawn
			union all
			select * from present""";

	private NewLease() {
	}

	/**
	 * Claims a request, if it is a new one.
	 * @return {@code null} if the statement that counts and takes over has to decide
	 */
	static @Nullable Attempt claim(Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		Counted known = open.of(request);
		byte[] id = request.identity().digest();
		byte[] account = request.identity().account();
		int maxOpen = request.limits().maxOpen();
		int maxStuck = request.limits().maxStuck();
		long rest = Math.max(0, maxOpen - known.open());
		try (PreparedStatement statement = jdbc.prepare(CLAIM, request.identity().lockKey(), id, id,
				known.bound(maxOpen), namespace, account, known.fence(), rest, id, namespace, account,
				request.operation(), request.fingerprint(), Jdbc.content(request.command()),
				Syntax.micros(request.duration()), HistoryText.CLAIMED, rest, maxStuck, namespace, account, maxStuck)) {
			statement.execute();
			boolean acquired = AttemptQuery.readBoolean(statement);
			statement.getMoreResults();
			try (ResultSet row = statement.getResultSet()) {
				return read(row, request, acquired, open, known);
			}
		}
	}

	/**
	 * Reads what the snapshot has shown.
	 * @return {@code null} if all open requests are to be counted, or something is to be
	 * taken over or deleted
	 */
	private static @Nullable Attempt read(ResultSet row, LeaseRequest request, boolean acquired, OpenRequests open,
			Counted known) throws SQLException {
		if (!row.next()) {
			return acquired ? null : new Attempt.Busy();
		}
		if (row.getBytes(1) == null) {
			long fence = row.getLong(4);
			Long since = row.getObject(8, Long.class);
			open.claimed(request, known, fence, (since != null) ? known.open() + since : null);
			return new Attempt.Leased(new Lease(request.identity(), fence), new Progress(1, null, null));
		}
		Attempt found = FoundAttempt.read(row, request.identity());
		boolean leftOver = found instanceof Attempt.Found && row.next();
		return (leftOver || (found instanceof Attempt.Abandoned && request.takeover())) ? null : found;
	}

}
