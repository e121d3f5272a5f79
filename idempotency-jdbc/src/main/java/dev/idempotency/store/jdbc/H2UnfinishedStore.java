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

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.Jdbc.Session;

/**
 * The unfinished requests of one application on H2: rows are locked, changed and read, in
 * one transaction on a separate connection.
 */
final class H2UnfinishedStore extends Statements implements UnfinishedStore {

	private static final String COLUMNS = """
			id, account, fence, operation, fingerprint, created_at, lease_until, lease_until > idempotency_now(),
				effects, attempts, recovery_point, steps, command, retry_at, stuck_at, last_error, node
			""";

	private final Jdbc jdbc;

	private final String namespace;

	H2UnfinishedStore(Jdbc jdbc, TableNames names, String namespace) {
		super(names);
		this.jdbc = jdbc;
		this.namespace = namespace;
	}

	private final String findDue = sql("""
			select id, account, fence, row_number() over (partition by account order by due_at, id) as turn
			from (select id, account, fence,
					coalesce(retry_at, timestampadd(microsecond, ?, lease_until)) as due_at
				from idempotency_lease
				where namespace = ? and lease_until <= idempotency_now() and not effects and stuck_created_at is null
					and command is not null and not left_to_sender and attempts - uncounted < ?
					and not
			""" + H2Store.LEFTOVER + """
				) waiting
			where due_at <= idempotency_now() order by turn, rand()""");

	private final String lockDue = sql("""
			select attempts - uncounted from idempotency_lease
			where id = ? and fence = ? and lease_until <= idempotency_now() and not effects and stuck_at is null
				and not left_to_sender
			for update skip locked""");

	private final String claimDue = sql("""
			update idempotency_lease set fence = cast(secure_rand(8) as bigint), attempts = attempts + 1,
				lease_until = timestampadd(microsecond, ?, idempotency_now()),
				retry_at = timestampadd(microsecond, ?, idempotency_now()), node = ?
			where id = ?""");

	@Override
	public List<Recovery> claimDue(RecoveryRequest request) {
		return this.jdbc.separately((session) -> {
			deleteLeftovers(session);
			List<Lease> queue = session.query(this.findDue, (row) -> new Lease(Rows.identity(row), row.getLong(3)),
					Rows.micros(request.after()), this.namespace, request.maxAttempts());
			List<Recovery> claimed = new ArrayList<>();
			for (Lease due : queue) {
				if (claimed.size() == request.limit()) {
					break;
				}
				// Nobody's lock is waited for, and no row is locked that is not claimed.
				byte[] id = due.identity().digest();
				List<Integer> counted = session.query(this.lockDue, (row) -> row.getInt(1), id, due.fence());
				if (!counted.isEmpty()) {
					session.update(this.claimDue, Rows.micros(request.lease()),
							Rows.micros(request.backoff().spreadAfter(counted.get(0) + 1)), NodeName.CURRENT, id);
					find(session, id).map(UnfinishedRecord::toRecovery).ifPresent(claimed::add);
				}
			}
			return claimed;
		});
	}

	private final String lockLeftovers = sql("""
			select id from idempotency_lease
			where namespace = ? and stuck_created_at is null and lease_until <= idempotency_now() and
			""" + H2Store.LEFTOVER + " for update skip locked");

	private final String deleteLeases = sql("delete from idempotency_lease where id = any (?)");

	private void deleteLeftovers(Session session) throws SQLException {
		List<byte[]> ids = session.query(this.lockLeftovers, (row) -> row.getBytes(1), this.namespace);
		session.update(this.deleteLeases, (Object) ids.toArray());
	}

	private final String lockStuck = sql("""
			select id, operation from idempotency_lease
			where namespace = ? and lease_until <= idempotency_now() and stuck_created_at is null
				and (effects or attempts - uncounted >= ?
					or lease_until < timestampadd(microsecond, -?, idempotency_now()))
				and not
			""" + H2Store.LEFTOVER + """
			for update skip locked""");

	private final String markStuck = sql("""
			update idempotency_lease set stuck_at = idempotency_now(), left_to_sender = false where id = any (?)""");

	@Override
	public List<String> markStuck(int maxAttempts, Duration keep) {
		return this.jdbc.separately((session) -> {
			deleteLeftovers(session);
			List<byte[]> ids = new ArrayList<>();
			List<String> operations = session.query(this.lockStuck, (row) -> {
				ids.add(row.getBytes(1));
				return row.getString(2);
			}, this.namespace, maxAttempts, Rows.micros(keep));
			session.update(this.markStuck, (Object) ids.toArray());
			return operations;
		});
	}

	private final String endResumption = sql("""
			update idempotency_lease set left_to_sender = false
			where namespace = ? and left_to_sender and stuck_at < timestampadd(microsecond, -?, idempotency_now())""");

	private final String eraseCommand = sql("""
			update idempotency_lease set command = null
			where namespace = ? and command is not null
				and stuck_at < timestampadd(microsecond, -?, idempotency_now())""");

	@Override
	public void retireStuck(Duration keep, Duration keepCommand) {
		this.jdbc.separately((session) -> session.update(this.endResumption, this.namespace, Rows.micros(keep))
				+ session.update(this.eraseCommand, this.namespace, Rows.micros(keepCommand)));
	}

	private final String find = sql("select " + COLUMNS + "from idempotency_lease where namespace = ? and id = ?");

	@Override
	public Optional<UnfinishedRecord> find(Identity identity) {
		return this.jdbc.separately((session) -> find(session, identity.digest()));
	}

	private Optional<UnfinishedRecord> find(Session session, byte[] id) throws SQLException {
		return session.first(this.find, Rows::unfinished, this.namespace, id);
	}

	/**
	 * Without the content of requests, which may have a megabyte.
	 */
	private static final String LIST = "select " + COLUMNS.replace("steps, command", "null, null") + """
			from idempotency_lease
			where namespace = ? and %1$s >= ? and (%1$s > ? or id > ?)
			order by namespace, %1$s, id limit ?""";

	final String listOpen = sql(LIST.formatted("created_at"));

	final String listStuck = sql(LIST.formatted("stuck_created_at"));

	@Override
	public List<UnfinishedRecord> list(Filter filter, Position after, int limit) {
		String list = switch (filter) {
			case OPEN -> this.listOpen;
			case STUCK -> this.listStuck;
		};
		OffsetDateTime time = Rows.time(after.createdAt());
		return this.jdbc.separately((session) -> session.query(list, Rows::unfinished, this.namespace, time, time,
				after.identity().digest(), limit));
	}

	private static final String UNCHANGED = """
			where namespace = ? and id = ? and fence = ? and effects = ? and lease_until <= idempotency_now()""";

	private final String retry = sql("""
			update idempotency_lease set fence = cast(secure_rand(8) as bigint), stuck_at = null,
				left_to_sender = false, uncounted = attempts, retry_at = idempotency_now(),
				lease_until = idempotency_now(), effects = false
			""" + UNCHANGED);

	@Override
	public boolean retry(UnfinishedRecord seen) {
		return this.jdbc.separately((session) -> session.update(this.retry, this.namespace,
				seen.lease().identity().digest(), seen.lease().fence(), seen.effects())) == 1;
	}

	private final String claim = sql("""
			update idempotency_lease set fence = cast(secure_rand(8) as bigint),
				lease_until = timestampadd(microsecond, ?, idempotency_now()), node = ?
			""" + UNCHANGED);

	@Override
	public Optional<UnfinishedRecord> claim(UnfinishedRecord seen, Duration lease) {
		byte[] id = seen.lease().identity().digest();
		return this.jdbc.separately((session) -> {
			int claimed = session.update(this.claim, Rows.micros(lease), NodeName.CURRENT, this.namespace, id,
					seen.lease().fence(), seen.effects());
			return (claimed == 1) ? find(session, id) : Optional.empty();
		});
	}

}
