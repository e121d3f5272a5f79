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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The records of PostgreSQL: each method is one message. The statements of the owner of a
 * lease, which is identified by its fence, change nothing once the lease has another one.
 */
final class PostgresRecords extends RecordStatements {

	private static final String EXTEND = """
			update idempotency_lease set lease_until = clock_timestamp() + ? * interval '1 microsecond'
			where (id, fence) in (
				select l.id, l.fence from idempotency_lease l
				join unnest(?::bytea[], ?::bigint[]) as mine(id, fence) on l.id = mine.id and l.fence = mine.fence
				for no key update of l skip locked)""";

	private final String extend = sql(EXTEND);

	/**
	 * One message outside auto-commit mode, too: had it several, the loss of one would
	 * leave the leases locked by a session that the server keeps.
	 */
	private final String extendAndCommit = sql(
			"set transaction isolation level read committed;\n" + EXTEND + ";\ncommit");

	private static final String CONFIRM = """
			update idempotency_lease set effects = effects or ? where id = ? and fence = ?""";

	/**
	 * A lease that is lost cannot be a count here, which the COMMIT would not wait for:
	 * it makes the statement fail, and with it the message.
	 */
	private final String confirmAndCommit = sql("with held as (" + CONFIRM + """
			 returning fence)
			select case when count(*) = 1 then 1 else cast('%s' || count(*) as integer) end from held;
			commit""".formatted(RefusedCommit.LOST));

	/**
	 * The advisory lock is the one that a claim tries: a duplicate of a phase that takes
	 * longer than its lease fails immediately, instead of waiting for the row.
	 */
	private final String hold = sql("select pg_advisory_xact_lock(?), " + PostgresStatements.NOTICE_LOST_HOST + """
			;
			select from idempotency_lease where id = ? and fence = ? for no key update""");

	private final String abandon = sql("""
			update idempotency_lease l set lease_until = clock_timestamp()
			from unnest(?::bytea[], ?::bigint[]) as mine(id, fence)
			where l.id = mine.id and l.fence = mine.fence""");

	/**
	 * The condition is not written like the predicate of an index, so that only the
	 * primary key can be used.
	 */
	private final String supersede = sql("""
			delete from idempotency_lease
			where id = ? and fence = ? and lease_until <= clock_timestamp() and not effects
				and steps is null and coalesce(stuck_at) is null""");

	private final String partitions = sql("""
			select coalesce(p.inhrelid, t.oid)::regclass::text
			from pg_class t left join pg_inherits p on p.inhparent = t.oid
			where t.oid = :records""");

	private static final String DELETE_EXPIRED = """
			delete from %1$s where ctid = any(array(
				select ctid from %1$s where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""";

	private final String confirm = sql(CONFIRM);

	private final PostgresStatements sql;

	PostgresRecords(Syntax syntax, PostgresStatements sql) {
		super(syntax);
		this.sql = sql;
	}

	@Override
	public Attempt acquire(Connection connection, Identity identity) throws SQLException {
		byte[] id = identity.digest();
		try (PreparedStatement statement = on(connection).prepare(this.sql.acquire, identity.lockKey(), id, id)) {
			statement.execute();
			boolean locked = Jdbc.readBoolean(statement.getResultSet());
			statement.getMoreResults();
			return acquired(locked, first(Jdbc.read(statement.getResultSet(), (row) -> readAttempt(row, identity))));
		}
	}

	@Override
	public Attempt probe(Connection connection, Identity identity) throws SQLException {
		// The message is a transaction, and the lock ends with it.
		return acquire(connection, identity);
	}

	@Override
	public Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		return new LeaseClaim(this.sql, on(connection), request, namespace, open).execute();
	}

	@Override
	public boolean finish(Connection connection, FinishedRecord finished) throws SQLException {
		try {
			return on(connection).update(this.sql.finish, values(finished)) == 1;
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex, finished);
		}
	}

	@Override
	public boolean finishAfterRollback(Connection connection, FinishedRecord finished) throws SQLException {
		return on(connection).update(this.sql.finishAfterRollback, values(finished)) == 1;
	}

	@Override
	public boolean sendsSeveralAtOnce() {
		return true;
	}

	@Override
	public void finishAndCommit(Connection connection, FinishedRecord finished) throws SQLException {
		try {
			on(connection).execute(this.sql.finishAndCommit, values(finished));
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex, finished);
		}
	}

	@Override
	public int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		boolean alone = connection.getAutoCommit();
		try (PreparedStatement statement = on(connection).prepare(alone ? this.extend : this.extendAndCommit,
				Syntax.micros(duration), ids(leases), fences(leases))) {
			statement.execute();
			if (!alone) {
				statement.getMoreResults();
			}
			return statement.getUpdateCount();
		}
	}

	@Override
	public boolean confirm(Connection connection, Lease lease, Effect effect) throws SQLException {
		return on(connection).update(this.confirm, effect == Effect.ONCE, lease.identity().digest(),
				lease.fence()) == 1;
	}

	@Override
	public void confirmAndCommit(Connection connection, Lease lease, Effect effect) throws SQLException {
		try {
			on(connection).execute(this.confirmAndCommit, effect == Effect.ONCE, lease.identity().digest(),
					lease.fence());
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex);
		}
	}

	/**
	 * The isolation of a transaction is set by its first statement.
	 */
	@Override
	public boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException {
		String isolate = (isolation != Isolation.DEFAULT) ? "set transaction isolation level "
				+ isolation.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ";\n" : "";
		Identity identity = lease.identity();
		try (PreparedStatement statement = on(connection).prepare(isolate + this.hold, identity.lockKey(),
				identity.digest(), lease.fence())) {
			statement.execute();
			for (int result = isolate.isEmpty() ? 1 : 0; result < 2; result++) {
				statement.getMoreResults();
			}
			return statement.getResultSet().next();
		}
	}

	@Override
	public boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		return on(connection).update(this.sql.finishLease, values(lease, finished)) == 1;
	}

	@Override
	public void finishAndCommit(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		try {
			on(connection).execute(this.sql.finishLeaseAndCommit, values(lease, finished));
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex);
		}
	}

	@Override
	public boolean supersede(Connection connection, Lease lease) throws SQLException {
		return on(connection).update(this.supersede, lease.identity().digest(), lease.fence()) == 1;
	}

	@Override
	public int abandon(Connection connection, Collection<Lease> leases) throws SQLException {
		return on(connection).update(this.abandon, ids(leases), fences(leases));
	}

	/**
	 * Deletes records by their physical position, which is the fastest way to find a row
	 * again, and identifies it only within its partition. Partitions are visited in
	 * random order, so that nodes that delete at the same time rarely meet.
	 */
	@Override
	public int deleteExpired(Connection connection, int limit) throws SQLException {
		List<String> tables = on(connection).query(this.partitions, (row) -> row.getString(1));
		Collections.shuffle(tables);
		int deleted = 0;
		for (String table : tables) {
			if (deleted < limit) {
				deleted += on(connection).update(DELETE_EXPIRED.formatted(table), limit - deleted);
			}
		}
		return deleted;
	}

	private static Object[] values(FinishedRecord finished) {
		return new Object[] { finished.identity().digest(), finished.identity().account(), finished.operation(),
				finished.fingerprint(), (short) finished.answer().status(), Jdbc.content(finished.answer().content()),
				finished.token(), Syntax.micros(finished.ttl()) };
	}

	private static Object[] values(Lease lease, FinishedRecord finished) {
		return Stream.concat(Stream.of(lease.identity().digest(), lease.fence()), Stream.of(values(finished)))
			.toArray();
	}

	private static Object ids(Collection<Lease> leases) {
		return leases.stream().map((lease) -> lease.identity().digest()).toArray(byte[][]::new);
	}

	private static Object fences(Collection<Lease> leases) {
		return leases.stream().mapToLong(Lease::fence).toArray();
	}

}
