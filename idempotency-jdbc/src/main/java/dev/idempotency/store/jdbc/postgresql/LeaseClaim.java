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
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.OpenRequests.Counted;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The claim of a lease for a request. If the request has no claim yet, it is one message:
 * <ol>
 * <li>The lock is tried. Each transaction that makes a lease for the identity, or a
 * record without one, holds it until its commit. The outcome is kept for the second
 * statement in a setting of the transaction: another attempt there could succeed after
 * the snapshot was taken.</li>
 * <li>The snapshot of the second statement is taken after the lock. If it shows neither
 * record nor lease, none exists and no other transaction makes one: the insert does not
 * wait, and nothing has to be read after it.</li>
 * <li>The open requests of the account are counted only if they may have reached the
 * limit: since an older count no more claims can have been made than numbers were
 * drawn.</li>
 * </ol>
 * Otherwise a second message may count all open requests, take over an expired claim, or
 * delete one that is left over.
 *
 * @param sql the statements
 * @param jdbc the connection
 * @param request the request
 * @param namespace the application
 * @param requests the open requests of accounts
 * @param known the last count of them
 */
record LeaseClaim(PostgresStatements sql, Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests requests,
		Counted known) {

	static final String INSERT = """
			select set_config('idempotency.locked', pg_try_advisory_xact_lock(?)::text, true);
			with present as materialized (
			""" + PostgresStatements.READ
			+ """
					),
					drawn as materialized (
						select next, case when next >= ? then (
								select count(*) from (select from idempotency_lease
									where namespace = ? and account = ? and stuck_at is null and claim_number > ? limit ?) as claimed)
							end as since
						from (select :number as next
							where current_setting('idempotency.locked', true) = 'true'
								and not exists (select from present)) as number),
					made as (
						insert into idempotency_lease
							(id, namespace, account, operation, fingerprint, command, fence, claim_number, lease_until, created_at,
								node)
						select ?, ?, ?, ?, ?, ?, :fence, next, clock_timestamp() + ? * interval '1 microsecond', clock_timestamp(), ?
						from drawn
						where (since is null or since < ?)
							and (select count(*) < greatest(?, 1) from (select from idempotency_lease
								where namespace = ? and account = ? and stuck_at is not null limit ?) as stuck)
						returning fence)
					select null, null, null, fence, null, null, next, since from made, drawn
					union all
					select * from present""";

	LeaseClaim(PostgresStatements sql, Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests requests) {
		this(sql, jdbc, request, namespace, requests, requests.of(request));
	}

	Attempt execute() throws SQLException {
		Attempt claimed = insert();
		return (claimed != null) ? claimed : countAndTakeOver();
	}

	/**
	 * Claims a request, if it is a new one.
	 * @return {@code null} if all open requests are to be counted, or something is to be
	 * taken over or deleted
	 */
	private @Nullable Attempt insert() throws SQLException {
		byte[] id = this.request.identity().digest();
		byte[] account = this.request.identity().account();
		int maxOpen = this.request.limits().maxOpen();
		int maxStuck = this.request.limits().maxStuck();
		long rest = Math.max(0, maxOpen - this.known.open());
		try (PreparedStatement statement = this.jdbc.prepare(this.sql.insertLease, this.request.identity().lockKey(),
				id, id, this.known.bound(maxOpen), this.namespace, account, this.known.number(), rest, id,
				this.namespace, account, this.request.operation(), this.request.fingerprint(),
				Jdbc.content(this.request.command()), Syntax.micros(this.request.duration()), NodeName.CURRENT, rest,
				maxStuck, this.namespace, account, maxStuck)) {
			statement.execute();
			boolean locked = Jdbc.readBoolean(statement.getResultSet());
			statement.getMoreResults();
			try (ResultSet row = statement.getResultSet()) {
				return readInserted(row, locked);
			}
		}
	}

	private @Nullable Attempt readInserted(ResultSet row, boolean locked) throws SQLException {
		if (!row.next()) {
			return locked ? null : new Attempt.Busy();
		}
		if (row.getBytes(1) == null) {
			Long since = row.getObject(8, Long.class);
			Long open = (since != null) ? this.known.open() + since : null;
			this.requests.claimed(this.request, this.known, row.getLong(7), open);
			return leased(row.getLong(4), new Progress(1, null, null));
		}
		Attempt found = readFound(row);
		boolean leftOver = found instanceof Attempt.Found && row.next();
		return (leftOver || found instanceof Attempt.Abandoned) ? null : found;
	}

	private Attempt countAndTakeOver() throws SQLException {
		long lock = this.request.identity().lockKey();
		byte[] id = this.request.identity().digest();
		byte[] account = this.request.identity().account();
		int maxOpen = this.request.limits().maxOpen();
		int maxStuck = this.request.limits().maxStuck();
		try (PreparedStatement statement = this.jdbc.prepare(this.sql.lease, lock, lock, id, id, this.namespace,
				account, maxOpen, maxOpen, maxStuck, this.namespace, account, maxStuck, id, this.namespace, account,
				this.request.operation(), this.request.fingerprint(), Jdbc.content(this.request.command()),
				Syntax.micros(this.request.duration()), NodeName.CURRENT, this.request.takeover(),
				this.request.maxAttempts(), id, id, id)) {
			statement.execute();
			statement.getMoreResults();
			List<Attempt> taken = Jdbc.read(statement.getResultSet(), this::readTaken);
			statement.getMoreResults();
			Attempt found = RecordStatements.first(Jdbc.read(statement.getResultSet(), this::readFound));
			if (found == null) {
				return taken.contains(new Attempt.Limited()) ? new Attempt.Limited() : new Attempt.Busy();
			}
			boolean mine = !taken.isEmpty() && taken.get(0) instanceof Attempt.Leased leased
					&& found instanceof Attempt.LeasedElsewhere present && leased.lease().equals(present.lease());
			return mine ? taken.get(0) : found;
		}
	}

	private Attempt readFound(ResultSet row) throws SQLException {
		return RecordStatements.readAttempt(row, this.request.identity());
	}

	private Attempt readTaken(ResultSet row) throws SQLException {
		long fence = row.getLong(1);
		if (row.wasNull()) {
			return new Attempt.Limited();
		}
		Long open = row.getObject(5, Long.class);
		if (open != null) {
			this.requests.claimed(this.request, this.known, row.getLong(6), open);
		}
		return leased(fence, new Progress(row.getInt(2), row.getString(3), row.getBytes(4)));
	}

	private Attempt leased(long fence, Progress progress) {
		return new Attempt.Leased(new Lease(this.request.identity(), fence), progress);
	}

}
