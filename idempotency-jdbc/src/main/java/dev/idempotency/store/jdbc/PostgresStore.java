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
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.RecordConflictException;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.jdbc.Jdbc.Session;

/**
 * The store on PostgreSQL. Each method is one message, except that a claim of a lease may
 * need a second one and {@link #deleteExpired} sends one for each partition.
 * <p>
 * A claim is several statements in one message, not one: at READ COMMITTED each has a
 * separate snapshot, and the read's is taken after the lock. A single statement would
 * miss the record of an owner that commits between snapshot and lock.
 * <p>
 * The arbiter of a record is the primary key: the statement touches no row when the
 * present record is alive. The statements of the owner of a lease, which is identified by
 * its fence, change nothing once the lease has another one.
 */
final class PostgresStore extends Statements implements LeaseStore, AutoCloseable {

	/**
	 * Time limit of a batch, as a multiple of that for one record.
	 */
	private static final int BATCH = 12;

	/**
	 * The record, or the lease. The first condition can be extended.
	 */
	private static final String READ_WHERE = """
			select fingerprint, status, content, null::bigint, false, false,
				(date_part('epoch', expires_at - clock_timestamp()) * 1000000)::bigint, token
			from idempotency_record
			where id = ?%s
			union all
			select fingerprint, null, null, fence, lease_until <= clock_timestamp(),
				stuck_at is not null and not left_to_sender, null, null
			from idempotency_lease
			where id = ?""";

	/**
	 * The live record, or the lease.
	 */
	static final String READ = READ_WHERE.formatted(" and expires_at > clock_timestamp()");

	/**
	 * A lease beside a record that was alive when the lease was made, or later: the
	 * record wins, and the lease stays.
	 */
	static final String LEFTOVER = """
			exists (select from idempotency_record r where r.id = l.id and r.expires_at > l.created_at)
			""";

	/**
	 * The first 64 bits of a random UUID, 60 of which are random.
	 */
	static final String NEW_FENCE = "('x' || replace(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint";

	/**
	 * Lets the server notice within half a minute that the host of the owner is lost,
	 * instead of after the two hours of most operating systems. The settings end with the
	 * transaction, so that a pooler hands them to nobody. The number of probes is left to
	 * the operating system of the server, since not all can set it.
	 */
	private static final String NOTICE_LOST_HOST = "set_config('tcp_keepalives_idle', '15', true), "
			+ "set_config('tcp_keepalives_interval', '2', true)";

	private static final Log logger = LogFactory.getLog(PostgresStore.class);

	private final Jdbc jdbc;

	private final PostgresLeaseClaim claim;

	private final HeartbeatConnections heartbeats;

	PostgresStore(Jdbc jdbc, TableNames names, String namespace, Supplier<@Nullable DataSource> unpooled) {
		super(names);
		this.jdbc = jdbc;
		this.claim = new PostgresLeaseClaim(names, namespace);
		this.heartbeats = new HeartbeatConnections(jdbc, unpooled);
		LogEvent.DATABASE_SUPPORTED.log(logger, "PostgreSQL: transaction-scoped advisory lock, one insert");
	}

	static Jdbc jdbc(StoreConnections connections, Duration timeout) {
		return Jdbc.ofMessages(connections, timeout, PostgresStore::begin);
	}

	/**
	 * Sets the isolation of the transaction. JDBC would set the session's isolation,
	 * which a transaction pooler hands to others.
	 */
	private static void begin(Session session) throws SQLException {
		try (Statement statement = session.connection().createStatement()) {
			statement.execute("set transaction isolation level read committed; set local tcp_keepalives_idle = 15; "
					+ "set local tcp_keepalives_interval = 2");
		}
	}

	private final String acquire = sql(
			"select pg_try_advisory_xact_lock(?), set_config('idempotency.claimed', 'true', true), " + NOTICE_LOST_HOST
					+ ";\n" + READ_WHERE.formatted(""));

	private final String deleteExpiredRecord = sql(
			"delete from idempotency_record where id = ? and expires_at <= clock_timestamp()");

	@Override
	public ClaimResult acquire(Identity identity) {
		this.jdbc.connections().enterRequest();
		return this.jdbc.inTransaction((session) -> acquire(session, identity, true));
	}

	/**
	 * An expired record that the reaper has not reached is deleted under the lock, so
	 * that {@link #finishWithCommit} only ever inserts. It is rare, and a choice between
	 * insert and update would cost each request more.
	 */
	private ClaimResult acquire(Session session, Identity identity, boolean deletesExpired) throws SQLException {
		byte[] id = identity.digest();
		boolean locked;
		List<ClaimResult> found;
		try (PreparedStatement statement = session.prepare(this.acquire, identity.lockKey(), id, id)) {
			statement.execute();
			locked = readBoolean(statement.getResultSet());
			statement.getMoreResults();
			found = Session.read(statement.getResultSet(), (row) -> Rows.attempt(row, identity));
		}
		ClaimResult first = Rows.first(found);
		if (first instanceof StoredRecord stored && stored.timeToLive().compareTo(Duration.ZERO) <= 0) {
			if (locked && deletesExpired) {
				session.update(this.deleteExpiredRecord, id);
			}
			found.remove(stored);
			first = Rows.first(found);
		}
		return Rows.acquired(locked, first);
	}

	/**
	 * Reads the first column of the only row.
	 */
	static boolean readBoolean(ResultSet row) throws SQLException {
		row.next();
		return row.getBoolean(1);
	}

	/**
	 * The message is a transaction, and the lock ends with it.
	 */
	@Override
	public ClaimResult probe(Identity identity) {
		return this.jdbc.separately((session) -> acquire(session, identity, false));
	}

	@Override
	public boolean probesInOneMessage() {
		return true;
	}

	private static final String RECORD = """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, token, finished_at, expires_at)
			select ?, ?, %s, ?, ?, ?, ?, statement_timestamp(), statement_timestamp() + ? * interval '1 microsecond'
			""";

	private static final String REPLACE = """
			on conflict (id) do update set
				account = excluded.account, operation = excluded.operation, fingerprint = excluded.fingerprint,
				status = excluded.status, content = excluded.content, token = excluded.token,
				finished_at = excluded.finished_at, expires_at =
			""";

	private static final String ON_CONFLICT = REPLACE
			+ "excluded.expires_at where present.expires_at <= clock_timestamp()";

	/**
	 * A live record cannot be a count here, which the COMMIT would not wait for: it makes
	 * the statement fail, and with it the message. Under a lease, an expired record may
	 * be present.
	 */
	private static final String ON_CONFLICT_OR_FAIL = REPLACE
			+ "case when present.expires_at <= clock_timestamp() then excluded.expires_at end";

	/**
	 * The name of the operation, which is null in any other transaction than the claim's:
	 * the handler has ended that transaction, and its lock with it.
	 */
	private static final String CLAIMED_OR_FAIL = "case when current_setting('idempotency.claimed', true) = 'true' then ? end";

	private static final String COMMIT = ";\ncommit";

	private final String finish = sql(RECORD.formatted(CLAIMED_OR_FAIL) + ON_CONFLICT);

	private final String finishAfterRollback = sql(RECORD.formatted("?") + ON_CONFLICT);

	private final String finishAndCommit = sql(RECORD.formatted(CLAIMED_OR_FAIL) + COMMIT);

	@Override
	public boolean finish(FinishedRecord finished) {
		return this.jdbc.inTransaction((session) -> finish(session, finished));
	}

	private boolean finish(Session session, FinishedRecord finished) throws SQLException {
		try {
			return session.update(this.finish, values(finished)) == 1;
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex, finished);
		}
	}

	private static Object[] values(FinishedRecord finished) {
		return new Object[] { finished.identity().digest(), finished.identity().account(), finished.operation(),
				finished.fingerprint(), (short) finished.response().status(),
				Session.bytes(finished.response().content()), finished.token(), Rows.micros(finished.ttl()) };
	}

	@Override
	public boolean finishAfterRollback(FinishedRecord finished) {
		return this.jdbc.inTransaction((session) -> session.update(this.finishAfterRollback, values(finished)) == 1);
	}

	@Override
	public boolean finishWithCommit(FinishedRecord finished) {
		return this.jdbc.withCommit((session) -> commit(session, this.finishAndCommit, finished, values(finished)),
				(session) -> require(finish(session, finished), RecordConflictException::new)) || finish(finished);
	}

	private static void commit(Session session, String sql, FinishedRecord finished, Object[] values)
			throws SQLException {
		try {
			session.execute(sql, values);
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex, finished);
		}
	}

	/**
	 * Fails the commit from within, where a return value reaches nobody.
	 */
	private static void require(boolean written, Supplier<RuntimeException> otherwise) {
		if (!written) {
			throw otherwise.get();
		}
	}

	@Override
	public ClaimResult lease(LeaseRequest request) {
		return this.jdbc.separately((session) -> this.claim.execute(session, request));
	}

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
	private final String extendAndCommit = sql("set transaction isolation level read committed;\n" + EXTEND + COMMIT);

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		this.heartbeats.extend(leases.size(), duration, (session) -> extend(session, leases, duration));
	}

	private int extend(Session session, Collection<Lease> leases, Duration duration) throws SQLException {
		boolean alone = session.connection().getAutoCommit();
		try (PreparedStatement statement = session.prepare(alone ? this.extend : this.extendAndCommit,
				Rows.micros(duration), ids(leases), fences(leases))) {
			statement.execute();
			if (!alone) {
				statement.getMoreResults();
			}
			return statement.getUpdateCount();
		}
	}

	private static Object ids(Collection<Lease> leases) {
		return leases.stream().map((lease) -> lease.identity().digest()).toArray(byte[][]::new);
	}

	private static Object fences(Collection<Lease> leases) {
		return leases.stream().mapToLong(Lease::fence).toArray();
	}

	private static final String CONFIRM = """
			update idempotency_lease set effects = effects or ? where id = ? and fence = ?""";

	private final String confirm = sql(CONFIRM);

	/**
	 * A lease that is lost cannot be a count here, which the COMMIT would not wait for:
	 * it makes the statement fail, and with it the message.
	 */
	private final String confirmAndCommit = sql("with held as (" + CONFIRM + """
			 returning fence)
			select case when count(*) = 1 then 1 else cast('%s' || count(*) as integer) end from held"""
		.formatted(RefusedCommit.LOST) + COMMIT);

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return this.jdbc.inTransaction((session) -> confirm(session, lease, effect));
	}

	private boolean confirm(Session session, Lease lease, Effect effect) throws SQLException {
		return session.update(this.confirm, effect == Effect.ONCE, lease.identity().digest(), lease.fence()) == 1;
	}

	@Override
	public boolean confirmWithCommit(Lease lease, Effect effect) {
		return (readsCommitted() && this.jdbc.withBegunCommit((session) -> confirmAndCommit(session, lease, effect),
				(session) -> require(confirm(session, lease, effect), LeaseLostException::new)))
				|| confirm(lease, effect);
	}

	private void confirmAndCommit(Session session, Lease lease, Effect effect) throws SQLException {
		try {
			session.execute(this.confirmAndCommit, effect == Effect.ONCE, lease.identity().digest(), lease.fence());
		}
		catch (SQLException ex) {
			throw RefusedCommit.translate(ex);
		}
	}

	@Override
	public boolean readsCommitted() {
		return this.jdbc.readsCommitted();
	}

	private final String isHeld = sql("select 1 from idempotency_lease where id = ? and fence = ?");

	@Override
	public boolean isHeld(Lease lease) {
		return this.jdbc.separately((session) -> session.exists(this.isHeld, lease.identity().digest(), lease.fence()));
	}

	/**
	 * The advisory lock is the one that a claim tries: a duplicate of a phase that takes
	 * longer than its lease fails immediately, instead of waiting for the row.
	 */
	private final String hold = sql("select pg_advisory_xact_lock(?), " + NOTICE_LOST_HOST + """
			;
			select from idempotency_lease where id = ? and fence = ? for no key update""");

	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		this.jdbc.connections().enterPhase();
		return this.jdbc.inTransaction((session) -> hold(session, lease, isolation));
	}

	@Override
	public boolean hold(Lease lease) {
		return this.jdbc.inTransaction((session) -> hold(session, lease, Isolation.DEFAULT));
	}

	/**
	 * The isolation of a transaction is set by its first statement.
	 */
	private boolean hold(Session session, Lease lease, Isolation isolation) throws SQLException {
		String isolate = (isolation != Isolation.DEFAULT) ? "set transaction isolation level "
				+ isolation.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ";\n" : "";
		Identity identity = lease.identity();
		try (PreparedStatement statement = session.prepare(isolate + this.hold, identity.lockKey(), identity.digest(),
				lease.fence())) {
			statement.execute();
			for (int result = isolate.isEmpty() ? 1 : 0; result < 2; result++) {
				statement.getMoreResults();
			}
			return statement.getResultSet().next();
		}
	}

	private final String advance = sql("""
			update idempotency_lease set recovery_point = ?, steps = ?,
				lease_until = clock_timestamp() + ? * interval '1 microsecond'
			where id = ? and fence = ? and coalesce(recovery_point, '') = ?""");

	@Override
	public boolean advance(Lease lease, @Nullable String from, @Nullable String recoveryPoint, byte[] steps,
			Duration duration) {
		return this.jdbc.inTransactionOrSeparately((session) -> session.update(this.advance, recoveryPoint, steps,
				Rows.micros(duration), lease.identity().digest(), lease.fence(), (from != null) ? from : "") == 1);
	}

	/**
	 * The lock of the row is the one that a phase holds from begin to end.
	 */
	private final String progress = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and fence = ? for update""");

	@Override
	public Optional<Progress> progress(Lease lease) {
		return this.jdbc.separately(
				(session) -> session.first(this.progress, Rows::progress, lease.identity().digest(), lease.fence()));
	}

	/**
	 * A sender who is present again gets the time that the completer leaves to senders:
	 * the time of the completer's next attempt is cleared if it has passed. A later one
	 * is kept, so that a sender does not shorten the completer's pauses.
	 */
	private final String interrupt = sql("update idempotency_lease set fence = " + NEW_FENCE + """
			, lease_until = clock_timestamp(), last_error = ?, uncounted = uncounted + ?,
				retry_at = case when ? = 1 or retry_at > clock_timestamp() then retry_at end,
				left_to_sender = ?, stuck_at = case when ? = 1 then clock_timestamp() end
			where id = ? and fence = ?""");

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		this.jdbc.separately(
				(session) -> session.update(this.interrupt, interruption.error(), interruption.counted() ? 0 : 1,
						interruption.counted() ? 1 : 0, interruption.resumption() != Resumption.ANYBODY,
						(interruption.resumption() == Resumption.SENDER_OF_STUCK) ? 1 : 0, lease.identity().digest(),
						lease.fence()));
	}

	private static final String MINE = """
			with mine as (delete from idempotency_lease where id = ? and fence = ? returning id)
			""";

	/**
	 * The name of the operation. A lost lease makes the statement fail, by a cast of a
	 * text. The text contains the time, so that the planner does not evaluate it.
	 */
	private static final String OPERATION_OR_LOST = ("case when exists (select from mine) then ? "
			+ "else cast(cast(concat('%s0, ', clock_timestamp()) as integer) as text) end")
		.formatted(RefusedCommit.LOST);

	private final String finishLease = sql(
			MINE + RECORD.formatted("?") + "where exists (select from mine)\n" + ON_CONFLICT);

	private final String finishLeaseAndCommit = sql(
			MINE + RECORD.formatted(OPERATION_OR_LOST) + ON_CONFLICT_OR_FAIL + COMMIT);

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return this.jdbc.inTransactionOrSeparately((session) -> finish(session, lease, finished));
	}

	private boolean finish(Session session, Lease lease, FinishedRecord finished) throws SQLException {
		return session.update(this.finishLease, values(lease, finished)) == 1;
	}

	private static Object[] values(Lease lease, FinishedRecord finished) {
		return Stream.concat(Stream.of(lease.identity().digest(), lease.fence()), Stream.of(values(finished)))
			.toArray();
	}

	@Override
	public boolean finishAtCommit(Lease lease, FinishedRecord finished) {
		return this.jdbc.withCommit(
				(session) -> commit(session, this.finishLeaseAndCommit, finished, values(lease, finished)),
				(session) -> require(finish(session, lease, finished), LeaseLostException::new));
	}

	private final String release = sql("delete from idempotency_lease where id = ? and fence = ?");

	@Override
	public void release(Lease lease) {
		this.jdbc.separately((session) -> session.update(this.release, lease.identity().digest(), lease.fence()));
	}

	private final String abandon = sql("""
			update idempotency_lease l set lease_until = clock_timestamp()
			from unnest(?::bytea[], ?::bigint[]) as mine(id, fence)
			where l.id = mine.id and l.fence = mine.fence""");

	@Override
	public void abandon(Collection<Lease> leases) {
		this.jdbc.separately((session) -> session.update(this.abandon, ids(leases), fences(leases)));
	}

	/**
	 * The condition is not written like the predicate of an index, so that only the
	 * primary key can be used.
	 */
	private final String supersede = sql("""
			delete from idempotency_lease
			where id = ? and fence = ? and lease_until <= clock_timestamp() and not effects
				and steps is null and coalesce(stuck_at) is null""");

	@Override
	public boolean supersede(Lease lease) {
		return this.jdbc
			.inTransaction((session) -> session.update(this.supersede, lease.identity().digest(), lease.fence()) == 1);
	}

	private final String partitions = sql("""
			select coalesce(p.inhrelid, t.oid)::regclass::text
			from pg_class t left join pg_inherits p on p.inhparent = t.oid
			where t.oid = 'idempotency_record'::regclass""");

	private static final String DELETE_EXPIRED = """
			delete from %1$s where ctid = any(array(
				select ctid from %1$s where expires_at <= now()
				order by expires_at limit ? for update skip locked))
			and expires_at <= now()""";

	@Override
	public int deleteExpired(int limit) {
		return this.jdbc.separately(this.jdbc.timeout().multipliedBy(BATCH),
				(session) -> deleteExpired(session, limit));
	}

	/**
	 * Deletes records by their physical position, which is the fastest way to find a row
	 * again, and identifies it only within its partition. Partitions are visited in
	 * random order, so that nodes that delete at the same time rarely meet.
	 */
	private int deleteExpired(Session session, int limit) throws SQLException {
		List<String> tables = session.query(this.partitions, (row) -> row.getString(1));
		Collections.shuffle(tables);
		int deleted = 0;
		for (String table : tables) {
			if (deleted < limit) {
				deleted += session.update(DELETE_EXPIRED.formatted(table), limit - deleted);
			}
		}
		return deleted;
	}

	@Override
	public Instant now() {
		return this.jdbc
			.separately((session) -> session.queryOne("select clock_timestamp()", (row) -> Rows.instant(row, 1)));
	}

	/**
	 * Closes the connections of the heartbeats.
	 */
	@Override
	public void close() throws Exception {
		this.heartbeats.close();
	}

}
