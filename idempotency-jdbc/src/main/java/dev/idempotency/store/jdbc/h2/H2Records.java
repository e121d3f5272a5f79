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

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.database.TableNames;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.jdbc.connection.OneTransaction;
import dev.idempotency.store.jdbc.sql.CatalogStatements;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.OpenRequests.Counted;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.SqlDialect;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The store on H2, in each of its modes. The algorithm is that of PostgreSQL; the lock of
 * an identity is a row that is inserted and deleted in one transaction, so that it ends
 * with the transaction.
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
 */
public final class H2Records extends RecordStatements {

	/**
	 * A function that the migration creates: CURRENT_TIMESTAMP is the start of the
	 * transaction, and a query of the sessions fails while one of them ends.
	 */
	private static final String NOW = "idempotency_now()";

	private static final String EPOCH = "timestamp with time zone '1970-01-01 00:00:00+00'";

	static final String LEFTOVER = """
			exists (select 1 from idempotency_record r
				where r.id = idempotency_lease.id and r.expires_at > idempotency_lease.created_at)
			""";

	private static final int LOCK_TIMEOUT = 50200;

	private static final int DUPLICATE_KEY = 23505;

	private static final int BATCH = 500;

	private final String read = sql("""
			(select fingerprint, status, content, null, false, false,
				timestampdiff(microsecond, :now, expires_at), token
				from idempotency_record where id = ? and expires_at > :now)
			union all
			(select fingerprint, null, null, fence, lease_until <= :now,
				stuck_at is not null and not left_to_sender, null, null
				from idempotency_lease where id = ?)""");

	private final String insertLock = sql("insert into idempotency_lock (id) values (?)");

	private final String holdLock = sql("update idempotency_lock set holder = transaction_id() where id = ?");

	/**
	 * A row of another transaction was committed by a handler, and locks nothing.
	 */
	private final String endLock = sql("delete from idempotency_lock where id = ? and holder = transaction_id()");

	/**
	 * The function returns a different time at each call.
	 */
	private final String insertRecord = sql("""
			insert into idempotency_record
				(id, account, operation, fingerprint, status, content, token, finished_at, expires_at)
			select ?, ?, ?, ?, ?, ?, ?, time, timestampadd(microsecond, ?, time) from (select :now as time)""");

	private final String replaceRecord = sql(
			"""
					update idempotency_record set account = ?, operation = ?, fingerprint = ?, status = ?, content = ?, token = ?,
						(finished_at, expires_at) =
							(select time, timestampadd(microsecond, ?, time) from (select :now as time))
					where id = ? and expires_at <= :now""");

	private final String insertLease = sql(
			"""
					insert into idempotency_lease
						(id, namespace, account, operation, fingerprint, command, fence, claim_number, lease_until, created_at, node)
					values (?, ?, ?, ?, ?, ?, ?, ?, :later, :now, ?)""");

	private static final String COUNT = """
			select count(*) from (select id from idempotency_lease
				where namespace = ? and account = ? and stuck_at is %s and claim_number > ? limit ?) counted""";

	private final String countOpen = sql(COUNT.formatted("null"));

	private final String countStuck = sql(COUNT.formatted("not null"));

	/**
	 * Waits for an owner who stores the answer.
	 */
	private final String lockAbandoned = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and lease_until <= :now and not effects and (left_to_sender or (? and stuck_at is null))
				and attempts - uncounted < ? and fingerprint = ?
			for update wait 2""");

	private final String takeOver = sql("""
			update idempotency_lease set fence = ?, attempts = attempts + 1, lease_until = :later, node = ?,
				stuck_at = null, left_to_sender = false
			where id = ?""");

	private final String clearLeftover = sql("delete from idempotency_lease where id = ? and " + LEFTOVER);

	private final String lockLease = sql("select 1 from idempotency_lease where id = ? and fence = ? for update");

	private final String lockLeases = sql(
			"select id, fence from idempotency_lease where id in (%s) for update skip locked");

	private final String extend = sql("""
			update idempotency_lease set lease_until = :later
			where id = ? and fence = ?""");

	private final String markEffects = sql("update idempotency_lease set effects = true where id = ? and fence = ?");

	private final String lockSuperseded = sql("""
			select 1 from idempotency_lease
			where id = ? and fence = ? and lease_until <= :now and not effects
				and steps is null and stuck_at is null
			for update nowait""");

	private final String findExpired = sql("""
			select id from idempotency_record where expires_at <= :now
			order by expires_at, id limit ? offset ?""");

	private final String lockExpired = sql("""
			select id from idempotency_record where id in (%s) and expires_at <= :now
			for update skip locked""");

	private final String deleteRecord = sql("delete from idempotency_record where id = ?");

	private final String nextFence = sql("select :fence");

	private final String nextNumber = sql("select :number");

	private H2Records(Syntax syntax) {
		super(syntax);
	}

	/**
	 * Creates the statements.
	 * @param names the names of the tables
	 * @return the statements of H2
	 */
	public static SqlDialect dialect(TableNames names) {
		Syntax syntax = syntax(names);
		String schema = schema(names);
		return new SqlDialect("row that is never committed, locked without waiting",
				new OneTransaction(H2Records::begin), new H2Records(syntax),
				(own, namespace) -> new H2Unfinished(own, namespace, syntax),
				(own, namespace) -> new H2Operators(own, namespace, syntax), new CatalogStatements("""
						select column_name from information_schema.columns
						where table_schema = %s and lower(table_name) = ?""".formatted(schema), """
						select count(*) > 0 from information_schema.table_constraints c
						where c.table_schema = %s and lower(c.table_name) = ?
							and c.constraint_type in ('PRIMARY KEY', 'UNIQUE')
							and ? = (
								select listagg(lower(k.column_name), ', ') within group (order by k.ordinal_position)
								from information_schema.key_column_usage k
								where k.table_schema = c.table_schema and k.table_name = c.table_name
									and k.constraint_name = c.constraint_name)""".formatted(schema), """
						select sequence_name from information_schema.sequences
						where sequence_schema = %s and lower(sequence_name) = ?""".formatted(schema), """
						select routine_name from information_schema.routines
						where routine_schema = %s and lower(routine_name) = ?""".formatted(schema)));
	}

	static Syntax syntax(TableNames names) {
		return new Syntax(Map.of("now", NOW, "later", "timestampadd(microsecond, ?, :now)", "micros",
				"timestampdiff(microsecond, :epoch, %s)", "epoch", EPOCH, "fence", "cast(secure_rand(8) as bigint)",
				"number", "next value for idempotency_claim_number", "records", """
						select coalesce(max(row_count_estimate), 0) from information_schema.tables
						where table_schema = %s and lower(table_name) = 'idempotency_record'"""
					.formatted(schema(names))),
				names);
	}

	/**
	 * The schema in the catalog, whose letters may differ in case.
	 */
	private static String schema(TableNames names) {
		return (names.schema() == null) ? "current_schema"
				: "(select schema_name from information_schema.schemata where lower(schema_name) = lower('"
						+ names.schema() + "'))";
	}

	/**
	 * The driver reads the isolation without a message, or within the process of the
	 * database.
	 */
	static void begin(Connection connection) throws SQLException {
		if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
			connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		}
	}

	@Override
	public Attempt acquire(Connection connection, Identity identity) throws SQLException {
		Jdbc jdbc = on(connection);
		Attempt asked = ask(jdbc, identity);
		if (asked != null && !(asked instanceof Attempt.Abandoned)) {
			return asked;
		}
		if (!lock(jdbc, identity)) {
			return acquired(false, asked);
		}
		Attempt attempt = acquired(true, ask(jdbc, identity));
		if (!(attempt instanceof Attempt.Acquired || attempt instanceof Attempt.Abandoned)) {
			jdbc.update(this.endLock, (Object) identity.digest());
		}
		return attempt;
	}

	/**
	 * Reads the live record or the lease.
	 */
	private @Nullable Attempt ask(Jdbc jdbc, Identity identity) throws SQLException {
		return first(jdbc.query(this.read, (row) -> readAttempt(row, identity), identity.digest(), identity.digest()));
	}

	/**
	 * Takes the lock of an identity for the current transaction.
	 * @return {@code false} if another transaction has it
	 */
	private boolean lock(Jdbc jdbc, Identity identity) throws SQLException {
		int before = jdbc.queryOne("select lock_timeout()", (row) -> row.getInt(1));
		jdbc.update("set lock_timeout 0");
		try {
			return unlessLocked(false, () -> {
				insert(jdbc, this.insertLock, identity.digest());
				return jdbc.update(this.holdLock, (Object) identity.digest()) == 1;
			});
		}
		finally {
			jdbc.update("set lock_timeout " + before);
		}
	}

	/**
	 * Inserts a row.
	 * @return {@code false} if there is one
	 */
	private static boolean insert(Jdbc jdbc, String sql, @Nullable Object... values) throws SQLException {
		try {
			return jdbc.update(sql, values) == 1;
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
	public Attempt probe(Connection connection, Identity identity) throws SQLException {
		try {
			return acquire(connection, identity);
		}
		finally {
			connection.rollback();
		}
	}

	/**
	 * Claims a lease. Unless it is acquired, there is nothing to commit.
	 */
	@Override
	public Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		Jdbc jdbc = on(connection);
		Attempt attempt = acquire(connection, request.identity());
		if (attempt instanceof Attempt.Acquired) {
			attempt = insertWithin(jdbc, request, namespace, open);
		}
		else if (attempt instanceof Attempt.Abandoned) {
			attempt = takeOver(jdbc, request, namespace);
		}
		if (attempt instanceof Attempt.Leased) {
			jdbc.update(this.endLock, (Object) request.identity().digest());
		}
		else {
			connection.rollback();
		}
		return attempt;
	}

	private Attempt insertWithin(Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests requests)
			throws SQLException {
		Counted known = requests.of(request);
		long open = countWithin(jdbc, request, namespace, known);
		if (open < 0) {
			return new Attempt.Limited();
		}
		long number = nextNumber(jdbc);
		requests.claimed(request, known, number, open);
		return insert(jdbc, request, namespace, number);
	}

	/**
	 * Counts the open requests that were claimed since an older count, and all where both
	 * together reach the limit.
	 * @return their number or more, {@code -1} if a limit is reached
	 */
	private long countWithin(Jdbc jdbc, LeaseRequest request, String namespace, Counted known) throws SQLException {
		LeaseLimits limits = request.limits();
		byte[] account = request.identity().account();
		long open = known.open() + count(jdbc, this.countOpen, namespace, account, known.number(), limits.maxOpen());
		if (!limits.allow(open, 0)) {
			open = count(jdbc, this.countOpen, namespace, account, 0, limits.maxOpen());
		}
		return limits.allow(open, count(jdbc, this.countStuck, namespace, account, 0, limits.maxStuck())) ? open : -1;
	}

	/**
	 * Counts up to the limit.
	 */
	private static long count(Jdbc jdbc, String sql, String namespace, byte[] account, long number, int limit)
			throws SQLException {
		return (limit == 0) ? 0 : jdbc.queryOne(sql, (row) -> row.getLong(1), namespace, account, number, limit);
	}

	private Attempt.Leased insert(Jdbc jdbc, LeaseRequest request, String namespace, long number) throws SQLException {
		long fence = nextFence(jdbc);
		jdbc.update(this.insertLease, request.identity().digest(), namespace, request.identity().account(),
				request.operation(), request.fingerprint(), request.command(), fence, number,
				Syntax.micros(request.duration()), NodeName.CURRENT);
		return new Attempt.Leased(new Lease(request.identity(), fence), new Progress(1, null, null));
	}

	private long nextNumber(Jdbc jdbc) throws SQLException {
		return jdbc.queryOne(this.nextNumber, (row) -> row.getLong(1));
	}

	private long nextFence(Jdbc jdbc) throws SQLException {
		return jdbc.queryOne(this.nextFence, (row) -> row.getLong(1));
	}

	/**
	 * Takes over an expired lease, or replaces one that is left over beside an expired
	 * record.
	 */
	private Attempt takeOver(Jdbc jdbc, LeaseRequest request, String namespace) throws SQLException {
		byte[] id = request.identity().digest();
		if (unlessLocked(0, () -> jdbc.update(this.clearLeftover, (Object) id)) == 1) {
			return insert(jdbc, request, namespace, nextNumber(jdbc));
		}
		List<Progress> left = unlessLocked(List.of(),
				() -> jdbc.query(this.lockAbandoned,
						(row) -> new Progress(row.getInt(1), row.getString(2), row.getBytes(3)), id, request.takeover(),
						request.maxAttempts(), request.fingerprint()));
		if (left.isEmpty()) {
			// Its owner has stored the answer meanwhile, or it may not be taken over.
			Attempt now = ask(jdbc, request.identity());
			return (now != null) ? now : new Attempt.Busy();
		}
		long fence = nextFence(jdbc);
		jdbc.update(this.takeOver, fence, Syntax.micros(request.duration()), NodeName.CURRENT, id);
		Progress progress = left.get(0);
		return new Attempt.Leased(new Lease(request.identity(), fence),
				new Progress(progress.attempts() + 1, progress.recoveryPoint(), progress.steps()));
	}

	@Override
	public boolean finish(Connection connection, FinishedRecord finished) throws SQLException {
		if (!write(connection, finished)) {
			return false;
		}
		if (on(connection).update(this.endLock, (Object) finished.identity().digest()) == 0) {
			throw new SQLTransactionRollbackException("The transaction of the claim has ended: H2 has undone it after "
					+ "a deadlock, or the handler has ended it", "40001");
		}
		return true;
	}

	@Override
	public boolean finishAfterRollback(Connection connection, FinishedRecord finished) throws SQLException {
		return write(connection, finished);
	}

	/**
	 * Writes a record in the place of an expired one.
	 */
	private boolean write(Connection connection, FinishedRecord finished) throws SQLException {
		byte[] id = finished.identity().digest();
		byte[] account = finished.identity().account();
		int status = finished.answer().status();
		byte[] content = finished.answer().content();
		long ttl = Syntax.micros(finished.ttl());
		return insert(on(connection), this.insertRecord, id, account, finished.operation(), finished.fingerprint(),
				status, content, finished.token(), ttl)
				|| on(connection).update(this.replaceRecord, account, finished.operation(), finished.fingerprint(),
						status, content, finished.token(), ttl, id) == 1;
	}

	@Override
	public boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		return lock(connection, lease) && write(connection, finished) && release(connection, lease) == 1;
	}

	private boolean lock(Connection connection, Lease lease) throws SQLException {
		return on(connection).exists(this.lockLease, lease.identity().digest(), lease.fence());
	}

	@Override
	public int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		List<Lease> free = new ArrayList<>();
		Jdbc jdbc = on(connection);
		List<Lease> all = List.copyOf(leases);
		for (int from = 0; from < all.size(); from += BATCH) {
			List<Lease> batch = all.subList(from, Math.min(from + BATCH, all.size()));
			free.addAll(jdbc.query(Jdbc.in(this.lockLeases, batch.size()),
					(row) -> new Lease(new Identity(row.getBytes(1), new byte[0]), row.getLong(2)),
					batch.stream().map((lease) -> (Object) lease.identity().digest()).toArray()));
		}
		free.retainAll(all);
		return extendAll(connection, free, duration);
	}

	private int extendAll(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		return on(connection).updateEach(this.extend, leases,
				(lease) -> new Object[] { Syntax.micros(duration), lease.identity().digest(), lease.fence() });
	}

	@Override
	public int abandon(Connection connection, Collection<Lease> leases) throws SQLException {
		return extendAll(connection, leases, Duration.ZERO);
	}

	@Override
	public boolean confirm(Connection connection, Lease lease, Effect effect) throws SQLException {
		boolean held = lock(connection, lease);
		if (held && effect == Effect.ONCE) {
			on(connection).update(this.markEffects, lease.identity().digest(), lease.fence());
		}
		return held;
	}

	/**
	 * The pool resets the isolation.
	 */
	@Override
	public boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException {
		if (isolation != Isolation.DEFAULT) {
			connection.setTransactionIsolation(isolation.value());
		}
		return lock(connection, lease);
	}

	@Override
	public boolean supersede(Connection connection, Lease lease) throws SQLException {
		return unlessLocked(false,
				() -> on(connection).exists(this.lockSuperseded, lease.identity().digest(), lease.fence())
						&& release(connection, lease) == 1);
	}

	/**
	 * Locks rows by their key, after reading them without a lock: nodes that delete at
	 * the same time do not wait for each other.
	 */
	@Override
	public int deleteExpired(Connection connection, int limit) throws SQLException {
		Jdbc jdbc = on(connection);
		List<byte[]> free = new ArrayList<>();
		int offset = 0;
		while (free.size() < limit) {
			int wanted = Math.min(BATCH, limit - free.size());
			List<byte[]> seen = jdbc.query(this.findExpired, (row) -> row.getBytes(1), wanted, offset);
			free.addAll(lock(jdbc, seen));
			offset += wanted;
			if (seen.size() < wanted) {
				break;
			}
		}
		return jdbc.updateEach(this.deleteRecord, free, (id) -> new Object[] { id });
	}

	private List<byte[]> lock(Jdbc jdbc, List<byte[]> ids) throws SQLException {
		return ids.isEmpty() ? ids
				: jdbc.query(Jdbc.in(this.lockExpired, ids.size()), (row) -> row.getBytes(1), ids.toArray());
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
