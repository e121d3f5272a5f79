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

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.jdbc.Jdbc.Session;

/**
 * The store on H2, in each of its modes. The algorithm is the same as on PostgreSQL; the
 * lock of an identity is a row that is inserted and deleted in one transaction, so that
 * it ends with the transaction.
 * <ol>
 * <li>A claim asks. If there is a live record, or a lease that has not expired, that is
 * the result, and nothing was locked.</li>
 * <li>Otherwise it takes the lock without waiting, and <em>then</em> asks again: the
 * previous holder has committed or rolled back.</li>
 * <li>The record is written once, complete, by the transaction that has the lock. A
 * statement of H2 can undo its transaction, after which the connection goes on in another
 * one: the record is refused unless its transaction is the one of the lock.</li>
 * <li>A lease is claimed under the same lock. Its owner needs no lock to finish: the
 * fence decides, and no duplicate can keep the owner from it.</li>
 * </ol>
 * The time is a function that the migration creates: CURRENT_TIMESTAMP is the start of
 * the transaction, and a query of the sessions fails while one of them ends. The function
 * returns a different time at each call.
 */
final class H2Store extends Statements implements LeaseStore, AutoCloseable {

	static final String LEFTOVER = """
			exists (select 1 from idempotency_record r
				where r.id = idempotency_lease.id and r.expires_at > idempotency_lease.created_at)
			""";

	private static final int LOCK_TIMEOUT = 50200;

	private static final int DUPLICATE_KEY = 23505;

	private static final Log logger = LogFactory.getLog(H2Store.class);

	private final Jdbc jdbc;

	private final String namespace;

	private final HeartbeatConnections heartbeats;

	H2Store(Jdbc jdbc, TableNames names, String namespace, Supplier<@Nullable DataSource> unpooled) {
		super(names);
		this.jdbc = jdbc;
		this.namespace = namespace;
		this.heartbeats = new HeartbeatConnections(jdbc, unpooled);
		LogEvent.DATABASE_SUPPORTED.log(logger, "H2: row that is never committed, locked without waiting");
		LogEvent.DATABASE_FOR_TESTS.log(logger,
				"The records are kept in H2, which is for tests and development: use PostgreSQL in production");
	}

	static Jdbc jdbc(StoreConnections connections, Duration timeout) {
		return Jdbc.ofTransactions(connections, timeout, H2Store::begin);
	}

	/**
	 * The driver reads the isolation without a message, or within the process of the
	 * database.
	 */
	private static void begin(Session session) throws SQLException {
		Connection connection = session.connection();
		if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
			connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		}
	}

	@Override
	public ClaimResult acquire(Identity identity) {
		this.jdbc.connections().enterRequest();
		return this.jdbc.inTransaction((session) -> acquire(session, identity));
	}

	private ClaimResult acquire(Session session, Identity identity) throws SQLException {
		ClaimResult asked = ask(session, identity);
		if (asked != null && !(asked instanceof ClaimResult.Abandoned)) {
			return asked;
		}
		if (!lock(session, identity)) {
			return Rows.acquired(false, asked);
		}
		ClaimResult attempt = Rows.acquired(true, ask(session, identity));
		if (!(attempt instanceof ClaimResult.Acquired || attempt instanceof ClaimResult.Abandoned)) {
			session.update(this.endLock, (Object) identity.digest());
		}
		return attempt;
	}

	private final String read = sql("""
			(select fingerprint, status, content, null, false, false,
				timestampdiff(microsecond, idempotency_now(), expires_at), token
				from idempotency_record where id = ? and expires_at > idempotency_now())
			union all
			(select fingerprint, null, null, fence, lease_until <= idempotency_now(),
				stuck_at is not null and not left_to_sender, null, null
				from idempotency_lease where id = ?)""");

	/**
	 * Reads the live record or the lease.
	 */
	private @Nullable ClaimResult ask(Session session, Identity identity) throws SQLException {
		return Rows.first(
				session.query(this.read, (row) -> Rows.attempt(row, identity), identity.digest(), identity.digest()));
	}

	private final String insertLock = sql("insert into idempotency_lock (id) values (?)");

	private final String holdLock = sql("update idempotency_lock set holder = transaction_id() where id = ?");

	/**
	 * A row of another transaction was committed by a handler, and locks nothing.
	 */
	private final String endLock = sql("delete from idempotency_lock where id = ? and holder = transaction_id()");

	/**
	 * Takes the lock of an identity for the current transaction.
	 * @return {@code false} if another transaction has it
	 */
	private boolean lock(Session session, Identity identity) throws SQLException {
		int before = session.queryOne("select lock_timeout()", (row) -> row.getInt(1));
		session.update("set lock_timeout 0");
		try {
			return unlessLocked(false, () -> {
				insert(session, this.insertLock, identity.digest());
				return session.update(this.holdLock, (Object) identity.digest()) == 1;
			});
		}
		finally {
			session.update("set lock_timeout " + before);
		}
	}

	/**
	 * Inserts a row.
	 * @return {@code false} if there is one
	 */
	private static boolean insert(Session session, String sql, @Nullable Object... values) throws SQLException {
		try {
			return session.update(sql, values) == 1;
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() == DUPLICATE_KEY) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * Executes statements that may find a lock taken.
	 * @param otherwise the result if another transaction has the lock
	 */
	private static <T> T unlessLocked(T otherwise, Locking<T> work) throws SQLException {
		try {
			return work.run();
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() == LOCK_TIMEOUT) {
				return otherwise;
			}
			throw ex;
		}
	}

	@Override
	public ClaimResult probe(Identity identity) {
		return this.jdbc.separately((session) -> {
			try {
				return acquire(session, identity);
			}
			finally {
				session.connection().rollback();
			}
		});
	}

	private final String insertRecord = sql("""
			insert into idempotency_record
				(id, account, operation, fingerprint, status, content, token, finished_at, expires_at)
			select ?, ?, ?, ?, ?, ?, ?, time, timestampadd(microsecond, ?, time)
			from (select idempotency_now() as time)""");

	private final String replaceRecord = sql("""
			update idempotency_record set
				account = ?, operation = ?, fingerprint = ?, status = ?, content = ?, token = ?,
				(finished_at, expires_at) =
					(select time, timestampadd(microsecond, ?, time) from (select idempotency_now() as time))
			where id = ? and expires_at <= idempotency_now()""");

	@Override
	public boolean finish(FinishedRecord finished) {
		return this.jdbc.inTransaction((session) -> {
			if (!write(session, finished)) {
				return false;
			}
			if (session.update(this.endLock, (Object) finished.identity().digest()) == 0) {
				throw new SQLTransactionRollbackException("The transaction of the claim has ended: H2 has undone it "
						+ "after a deadlock, or the handler has ended it", "40001");
			}
			return true;
		});
	}

	/**
	 * Writes a record in the place of an expired one.
	 */
	private boolean write(Session session, FinishedRecord finished) throws SQLException {
		byte[] id = finished.identity().digest();
		byte[] account = finished.identity().account();
		int status = finished.response().status();
		byte[] content = finished.response().content();
		long ttl = Rows.micros(finished.ttl());
		return insert(session, this.insertRecord, id, account, finished.operation(), finished.fingerprint(), status,
				content, finished.token(), ttl)
				|| session.update(this.replaceRecord, account, finished.operation(), finished.fingerprint(), status,
						content, finished.token(), ttl, id) == 1;
	}

	@Override
	public boolean finishAfterRollback(FinishedRecord finished) {
		return this.jdbc.inTransaction((session) -> write(session, finished));
	}

	/**
	 * Claims a lease. Unless it is acquired, there is nothing to commit.
	 */
	@Override
	public ClaimResult lease(LeaseRequest request) {
		return this.jdbc.separately((session) -> {
			ClaimResult attempt = acquire(session, request.identity());
			if (attempt instanceof ClaimResult.Acquired) {
				attempt = insertWithin(session, request);
			}
			else if (attempt instanceof ClaimResult.Abandoned) {
				attempt = takeOver(session, request);
			}
			if (attempt instanceof ClaimResult.Leased) {
				session.update(this.endLock, (Object) request.identity().digest());
			}
			else {
				session.connection().rollback();
			}
			return attempt;
		});
	}

	private ClaimResult insertWithin(Session session, LeaseRequest request) throws SQLException {
		LeaseLimits limits = request.limits();
		byte[] account = request.identity().account();
		return limits.allow(count(session, this.countOpen, account, limits.maxOpen()),
				count(session, this.countStuck, account, limits.maxStuck())) ? insert(session, request)
						: new ClaimResult.Limited();
	}

	private static final String COUNT = """
			select count(*) from (select id from idempotency_lease
				where namespace = ? and account = ? and stuck_at is %s limit ?) counted""";

	private final String countOpen = sql(COUNT.formatted("null"));

	private final String countStuck = sql(COUNT.formatted("not null"));

	/**
	 * Counts up to the limit.
	 */
	private long count(Session session, String sql, byte[] account, int limit) throws SQLException {
		return session.queryOne(sql, (row) -> row.getLong(1), this.namespace, account, limit);
	}

	private final String insertLease = sql("""
			insert into idempotency_lease
				(id, namespace, account, operation, fingerprint, command, fence, lease_until, created_at, node)
			values (?, ?, ?, ?, ?, ?, ?, timestampadd(microsecond, ?, idempotency_now()), idempotency_now(), ?)""");

	private ClaimResult.Leased insert(Session session, LeaseRequest request) throws SQLException {
		long fence = FinishedRecord.newToken();
		session.update(this.insertLease, request.identity().digest(), this.namespace, request.identity().account(),
				request.operation(), request.fingerprint(), request.command(), fence, Rows.micros(request.duration()),
				NodeName.CURRENT);
		return new ClaimResult.Leased(new Lease(request.identity(), fence), new Progress(1, null, null));
	}

	private final String clearLeftover = sql("delete from idempotency_lease where id = ? and " + LEFTOVER);

	/**
	 * Waits for an owner who stores the response.
	 */
	private final String lockAbandoned = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and lease_until <= idempotency_now() and not effects
				and (left_to_sender or (? and stuck_at is null)) and attempts - uncounted < ? and fingerprint = ?
			for update wait 2""");

	private final String takeOver = sql("""
			update idempotency_lease set fence = ?, attempts = attempts + 1,
				lease_until = timestampadd(microsecond, ?, idempotency_now()), node = ?,
				stuck_at = null, left_to_sender = false
			where id = ?""");

	/**
	 * Takes over an expired lease, or replaces one that is left over beside an expired
	 * record.
	 */
	private ClaimResult takeOver(Session session, LeaseRequest request) throws SQLException {
		byte[] id = request.identity().digest();
		if (unlessLocked(0, () -> session.update(this.clearLeftover, (Object) id)) == 1) {
			return insert(session, request);
		}
		List<Progress> left = unlessLocked(List.of(), () -> session.query(this.lockAbandoned, Rows::progress, id,
				request.takeover(), request.maxAttempts(), request.fingerprint()));
		if (left.isEmpty()) {
			// Its owner has stored the response meanwhile, or it may not be taken over.
			ClaimResult now = ask(session, request.identity());
			return (now != null) ? now : new ClaimResult.Busy();
		}
		long fence = FinishedRecord.newToken();
		session.update(this.takeOver, fence, Rows.micros(request.duration()), NodeName.CURRENT, id);
		Progress progress = left.get(0);
		return new ClaimResult.Leased(new Lease(request.identity(), fence),
				new Progress(progress.attempts() + 1, progress.recoveryPoint(), progress.steps()));
	}

	private static final String MINE = "where id = any (?) and fence = any (?)";

	private final String lockFree = sql("select fence from idempotency_lease " + MINE + " for update skip locked");

	private final String extend = sql("""
			update idempotency_lease set lease_until = timestampadd(microsecond, ?, idempotency_now())
			""" + MINE);

	@Override
	public void extend(Collection<Lease> leases, Duration duration) {
		this.heartbeats.extend(leases.size(), duration, (session) -> {
			List<Long> free = session.query(this.lockFree, (row) -> row.getLong(1), ids(leases), fences(leases));
			return session.update(this.extend, Rows.micros(duration), ids(leases), free.toArray());
		});
	}

	@Override
	public void abandon(Collection<Lease> leases) {
		this.jdbc.separately((session) -> session.update(this.extend, 0, ids(leases), fences(leases)));
	}

	private static Object ids(Collection<Lease> leases) {
		return leases.stream().map((lease) -> lease.identity().digest()).toArray();
	}

	private static Object fences(Collection<Lease> leases) {
		return leases.stream().map(Lease::fence).toArray();
	}

	private final String lockLease = sql("select 1 from idempotency_lease where id = ? and fence = ? for update");

	private boolean lock(Session session, Lease lease) throws SQLException {
		return session.exists(this.lockLease, lease.identity().digest(), lease.fence());
	}

	private final String confirm = sql("""
			update idempotency_lease set effects = effects or ? where id = ? and fence = ?""");

	@Override
	public boolean confirm(Lease lease, Effect effect) {
		return this.jdbc.inTransaction((session) -> session.update(this.confirm, effect == Effect.ONCE,
				lease.identity().digest(), lease.fence()) == 1);
	}

	private final String isHeld = sql("select 1 from idempotency_lease where id = ? and fence = ?");

	@Override
	public boolean isHeld(Lease lease) {
		return this.jdbc.separately((session) -> session.exists(this.isHeld, lease.identity().digest(), lease.fence()));
	}

	/**
	 * The pool resets the isolation.
	 */
	@Override
	public boolean hold(Lease lease, Isolation isolation) {
		this.jdbc.connections().enterPhase();
		return this.jdbc.inTransaction((session) -> {
			if (isolation != Isolation.DEFAULT) {
				session.connection().setTransactionIsolation(isolation.value());
			}
			return lock(session, lease);
		});
	}

	@Override
	public boolean hold(Lease lease) {
		return this.jdbc.inTransaction((session) -> lock(session, lease));
	}

	private final String advance = sql("""
			update idempotency_lease set recovery_point = ?, steps = ?,
				lease_until = timestampadd(microsecond, ?, idempotency_now())
			where id = ? and fence = ? and coalesce(recovery_point, '') = ?""");

	@Override
	public boolean advance(Lease lease, @Nullable String from, @Nullable String recoveryPoint, byte[] steps,
			Duration duration) {
		return this.jdbc.inTransactionOrSeparately((session) -> session.update(this.advance, recoveryPoint, steps,
				Rows.micros(duration), lease.identity().digest(), lease.fence(), (from != null) ? from : "") == 1);
	}

	private final String progress = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and fence = ? for update""");

	@Override
	public Optional<Progress> progress(Lease lease) {
		return this.jdbc.separately(
				(session) -> session.first(this.progress, Rows::progress, lease.identity().digest(), lease.fence()));
	}

	private final String interrupt = sql("""
			update idempotency_lease set fence = cast(secure_rand(8) as bigint), lease_until = idempotency_now(),
				last_error = ?, uncounted = uncounted + ?,
				retry_at = case when ? = 1 or retry_at > idempotency_now() then retry_at end,
				left_to_sender = ?, stuck_at = case when ? = 1 then idempotency_now() end
			where id = ? and fence = ?""");

	@Override
	public void interrupt(Lease lease, Interruption interruption) {
		this.jdbc.separately(
				(session) -> session.update(this.interrupt, interruption.error(), interruption.counted() ? 0 : 1,
						interruption.counted() ? 1 : 0, interruption.resumption() != Resumption.ANYBODY,
						(interruption.resumption() == Resumption.SENDER_OF_STUCK) ? 1 : 0, lease.identity().digest(),
						lease.fence()));
	}

	@Override
	public boolean finish(Lease lease, FinishedRecord finished) {
		return this.jdbc.inTransactionOrSeparately(
				(session) -> lock(session, lease) && write(session, finished) && release(session, lease) == 1);
	}

	private final String release = sql("delete from idempotency_lease where id = ? and fence = ?");

	@Override
	public void release(Lease lease) {
		this.jdbc.separately((session) -> release(session, lease));
	}

	private int release(Session session, Lease lease) throws SQLException {
		return session.update(this.release, lease.identity().digest(), lease.fence());
	}

	private final String lockSuperseded = sql("""
			select 1 from idempotency_lease
			where id = ? and fence = ? and lease_until <= idempotency_now() and not effects
				and steps is null and stuck_at is null
			for update nowait""");

	@Override
	public boolean supersede(Lease lease) {
		return this.jdbc.inTransaction((session) -> unlessLocked(false,
				() -> session.exists(this.lockSuperseded, lease.identity().digest(), lease.fence())
						&& release(session, lease) == 1));
	}

	private final String findExpired = sql("""
			select id from idempotency_record where expires_at <= idempotency_now()
			order by expires_at, id limit ? offset ?""");

	private final String lockExpired = sql("""
			select id from idempotency_record where id = any (?) and expires_at <= idempotency_now()
			for update skip locked""");

	private final String deleteRecords = sql("delete from idempotency_record where id = any (?)");

	/**
	 * Locks rows by their key, after reading them without a lock: nodes that delete at
	 * the same time do not wait for each other.
	 */
	@Override
	public int deleteExpired(int limit) {
		return this.jdbc.separately((session) -> {
			List<byte[]> free = new ArrayList<>();
			List<byte[]> seen;
			int offset = 0;
			int wanted;
			do {
				wanted = limit - free.size();
				seen = session.query(this.findExpired, (row) -> row.getBytes(1), wanted, offset);
				free.addAll(session.query(this.lockExpired, (row) -> row.getBytes(1), (Object) seen.toArray()));
				offset += wanted;
			}
			while (free.size() < limit && seen.size() == wanted);
			return session.update(this.deleteRecords, (Object) free.toArray());
		});
	}

	private final String now = sql("select idempotency_now()");

	@Override
	public Instant now() {
		return this.jdbc.separately((session) -> session.queryOne(this.now, (row) -> Rows.instant(row, 1)));
	}

	/**
	 * Closes the connections of the heartbeats.
	 */
	@Override
	public void close() throws Exception {
		this.heartbeats.close();
	}

	/**
	 * Statements that may find a lock taken.
	 *
	 * @param <T> the type of their result
	 */
	@FunctionalInterface
	private interface Locking<T> {

		T run() throws SQLException;

	}

}
