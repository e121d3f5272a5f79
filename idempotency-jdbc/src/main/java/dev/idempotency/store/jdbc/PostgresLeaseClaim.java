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
package dev.idempotency.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.jdbc.Jdbc.Session;
import dev.idempotency.store.jdbc.OpenRequests.Counted;

/**
 * The claim of a lease for a request on PostgreSQL. If the request has no claim yet, it
 * is one message:
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
 */
final class PostgresLeaseClaim extends Statements {

	private final String namespace;

	private final OpenRequests requests = new OpenRequests();

	PostgresLeaseClaim(TableNames names, String namespace) {
		super(names);
		this.namespace = namespace;
	}

	ClaimResult execute(Session session, LeaseRequest request) throws SQLException {
		Counted known = this.requests.of(request);
		ClaimResult claimed = insert(session, request, known);
		return (claimed != null) ? claimed : countAndTakeOver(session, request, known);
	}

	private final String insert = sql("""
			select set_config('idempotency.locked', pg_try_advisory_xact_lock(?)::text, true);
			with present as materialized (
			""" + PostgresStore.READ
			+ """
					),
					drawn as materialized (
						select next, case when next >= ? then (
								select count(*) from (select from idempotency_lease
									where namespace = ? and account = ? and stuck_at is null and claim_number > ? limit ?) as claimed)
							end as since
						from (select nextval('idempotency_claim_number') as next
							where current_setting('idempotency.locked', true) = 'true'
								and not exists (select from present)) as number),
					made as (
						insert into idempotency_lease
							(id, namespace, account, operation, fingerprint, command, fence, claim_number, lease_until, created_at,
								node)
						select ?, ?, ?, ?, ?, ?, %s, next, clock_timestamp() + ? * interval '1 microsecond', clock_timestamp(), ?
						from drawn
						where (since is null or since < ?)
							and (select count(*) < greatest(?, 1) from (select from idempotency_lease
								where namespace = ? and account = ? and stuck_at is not null limit ?) as stuck)
						returning fence)
					select null, null, null, fence, null, null, next, since from made, drawn
					union all
					select * from present"""
				.formatted(PostgresStore.NEW_FENCE));

	/**
	 * Claims a request, if it is a new one.
	 * @return {@code null} if all open requests are to be counted, or something is to be
	 * taken over or deleted
	 */
	private @Nullable ClaimResult insert(Session session, LeaseRequest request, Counted known) throws SQLException {
		byte[] id = request.identity().digest();
		byte[] account = request.identity().account();
		int maxOpen = request.limits().maxOpen();
		int maxStuck = request.limits().maxStuck();
		long rest = Math.max(0, maxOpen - known.open());
		try (PreparedStatement statement = session.prepare(this.insert, request.identity().lockKey(), id, id,
				known.bound(maxOpen), this.namespace, account, known.number(), rest, id, this.namespace, account,
				request.operation(), request.fingerprint(), Session.bytes(request.command()),
				Rows.micros(request.duration()), NodeName.CURRENT, rest, maxStuck, this.namespace, account, maxStuck)) {
			statement.execute();
			boolean locked = PostgresStore.readBoolean(statement.getResultSet());
			statement.getMoreResults();
			try (ResultSet row = statement.getResultSet()) {
				return readInserted(row, locked, request, known);
			}
		}
	}

	private @Nullable ClaimResult readInserted(ResultSet row, boolean locked, LeaseRequest request, Counted known)
			throws SQLException {
		if (!row.next()) {
			return locked ? null : new ClaimResult.Busy();
		}
		if (row.getBytes(1) == null) {
			Long since = row.getObject(8, Long.class);
			Long open = (since != null) ? known.open() + since : null;
			this.requests.claimed(request, known, row.getLong(7), open);
			return leased(request, row.getLong(4), new Progress(1, null, null));
		}
		ClaimResult found = Rows.attempt(row, request.identity());
		boolean leftOver = found instanceof StoredRecord && row.next();
		return (leftOver || found instanceof ClaimResult.Abandoned) ? null : found;
	}

	private static ClaimResult leased(LeaseRequest request, long fence, Progress progress) {
		return new ClaimResult.Leased(new Lease(request.identity(), fence), progress);
	}

	/**
	 * Counts up to each limit, for a new lease only: a CASE evaluates in textual order.
	 * Each uses a dedicated index, whose predicate no heartbeat changes. Limit 0 counts
	 * nothing, and is not reached.
	 */
	private static final String ROOM = """
			with present as materialized (
				select case
					when not pg_try_advisory_xact_lock(?) then null
					when exists (select from idempotency_record where id = ? and expires_at > clock_timestamp()) then null
					when exists (select from idempotency_lease where id = ?) then true
					else false
				end as leased),
			counted as materialized (
				select leased, case when not leased then (
						select count(*) from (select from idempotency_lease
							where namespace = ? and account = ? and stuck_at is null limit ?) as every)
					end as open
				from present),
			room as materialized (
				select open, leased or open < greatest(?, 1)
					and (select count(*) < greatest(?, 1) from (select from idempotency_lease
						where namespace = ? and account = ? and stuck_at is not null limit ?) as stuck) as free
				from counted),
			""";

	/**
	 * Reads like {@link PostgresStore#READ}, and deletes a left-over lease, including one
	 * that the previous statement has just made after it had to wait for an owner who
	 * finished. The claim and its end are one transaction.
	 */
	private static final String READ_AND_CLEAR = "with leftover as (delete from idempotency_lease l where id = ? and "
			+ PostgresStore.LEFTOVER + " returning fence)\n" + PostgresStore.READ
			+ " and fence not in (select fence from leftover)";

	/**
	 * The advisory lock keeps a claim and a running transaction for the same identity
	 * apart; it goes with the statement.
	 */
	private final String takeOver = sql("""
			select pg_try_advisory_xact_lock(?);
			""" + ROOM
			+ """
					made as (
						insert into idempotency_lease as present
							(id, namespace, account, operation, fingerprint, command, fence, claim_number, lease_until, created_at,
								node)
						select ?, ?, ?, ?, ?, ?, %s, nextval('idempotency_claim_number'),
							clock_timestamp() + ? * interval '1 microsecond', clock_timestamp(), ?
						from room
						where room.free
						on conflict (id) do update set
							fence = excluded.fence, lease_until = excluded.lease_until, attempts = present.attempts + 1,
							node = excluded.node, stuck_at = null, left_to_sender = false
						where (? or present.left_to_sender) and present.lease_until <= clock_timestamp()
							and not present.effects and (present.stuck_at is null or present.left_to_sender)
							and present.attempts - present.uncounted < ? and present.fingerprint = excluded.fingerprint
						returning fence, attempts, recovery_point, steps, claim_number)
					select fence, attempts, recovery_point, steps, open, claim_number from made, room
					union all
					select null, null, null, null, null, null from room where not free;
					"""
				.formatted(PostgresStore.NEW_FENCE)
			+ READ_AND_CLEAR);

	private ClaimResult countAndTakeOver(Session session, LeaseRequest request, Counted known) throws SQLException {
		long lock = request.identity().lockKey();
		byte[] id = request.identity().digest();
		byte[] account = request.identity().account();
		int maxOpen = request.limits().maxOpen();
		int maxStuck = request.limits().maxStuck();
		try (PreparedStatement statement = session.prepare(this.takeOver, lock, lock, id, id, this.namespace, account,
				maxOpen, maxOpen, maxStuck, this.namespace, account, maxStuck, id, this.namespace, account,
				request.operation(), request.fingerprint(), Session.bytes(request.command()),
				Rows.micros(request.duration()), NodeName.CURRENT, request.takeover(), request.maxAttempts(), id, id,
				id)) {
			statement.execute();
			statement.getMoreResults();
			List<ClaimResult> taken = Session.read(statement.getResultSet(), (row) -> readTaken(row, request, known));
			statement.getMoreResults();
			ClaimResult found = Rows
				.first(Session.read(statement.getResultSet(), (row) -> Rows.attempt(row, request.identity())));
			if (found == null) {
				return taken.contains(new ClaimResult.Limited()) ? new ClaimResult.Limited() : new ClaimResult.Busy();
			}
			boolean mine = !taken.isEmpty() && taken.get(0) instanceof ClaimResult.Leased leased
					&& found instanceof ClaimResult.LeasedElsewhere present && leased.lease().equals(present.lease());
			return mine ? taken.get(0) : found;
		}
	}

	/**
	 * Reads a lease, or the row of a limit that is reached.
	 */
	private ClaimResult readTaken(ResultSet row, LeaseRequest request, Counted known) throws SQLException {
		long fence = row.getLong(1);
		if (row.wasNull()) {
			return new ClaimResult.Limited();
		}
		Long open = row.getObject(5, Long.class);
		if (open != null) {
			this.requests.claimed(request, known, row.getLong(6), open);
		}
		return leased(request, fence, new Progress(row.getInt(2), row.getString(3), row.getBytes(4)));
	}

}
