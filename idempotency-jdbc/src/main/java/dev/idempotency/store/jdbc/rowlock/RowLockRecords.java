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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.jdbc.rowlock.RowLocks.LockWait;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * The store where the row of the record is the lock.
 * <ol>
 * <li>A claim takes the lock, without waiting, and <em>then</em> reads: the previous
 * owner of the lock has committed or rolled back.</li>
 * <li>The answer takes the place of the placeholder in the same transaction. Others read
 * either the answer or nothing.</li>
 * <li>A lease is claimed under the same lock, which is released with the claim: the two
 * modes exclude each other.</li>
 * <li>A claim that has the lock does not wait for a lease. An owner who stores an answer
 * waits for the lock, which a duplicate holds while it reads.</li>
 * </ol>
 */
final class RowLockRecords extends RecordStatements {

	private static final int BATCH = 500;

	private final RowLocks locks;

	private final RecordSql sql;

	private final RowLockClaims claims;

	RowLockRecords(Syntax syntax, RowLocks locks) {
		super(syntax);
		this.locks = locks;
		this.sql = new RecordSql(syntax);
		this.claims = new RowLockClaims(locks, this.sql);
	}

	@Override
	public Attempt acquire(Connection connection, Identity identity) throws SQLException {
		Attempt attempt = this.claims.acquire(on(connection), identity);
		if (attempt instanceof Attempt.Acquired || attempt instanceof Attempt.Abandoned) {
			OwnRow.remember(identity);
		}
		return attempt;
	}

	@Override
	public Attempt probe(Connection connection, Identity identity) throws SQLException {
		try {
			return this.claims.acquire(on(connection), identity);
		}
		finally {
			connection.rollback();
		}
	}

	@Override
	public Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException {
		Attempt attempt = this.claims.lease(on(connection), request, namespace, open);
		if (attempt instanceof Attempt.Leased) {
			on(connection).update(this.sql.removePlaceholder, request.identity().digest());
		}
		else {
			connection.rollback();
		}
		return attempt;
	}

	@Override
	public boolean finish(Connection connection, FinishedRecord finished) throws SQLException {
		if (OwnRow.isOf(finished.identity()) && write(connection, finished)) {
			return true;
		}
		return this.locks.lock(on(connection), finished.identity(), LockWait.SECONDS) && write(connection, finished);
	}

	private boolean write(Connection connection, FinishedRecord finished) throws SQLException {
		return on(connection).update(this.sql.finish, finished.identity().account(), finished.operation(),
				finished.fingerprint(), finished.answer().status(), finished.answer().content(), finished.token(),
				Syntax.micros(finished.ttl()), finished.identity().digest()) == 1;
	}

	/**
	 * The lock first: a duplicate that has it does not wait for the lease.
	 */
	@Override
	public boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		if (!this.locks.lock(on(connection), lease.identity(), LockWait.SECONDS)) {
			return false;
		}
		if (lock(connection, lease) && write(connection, finished)) {
			return release(connection, lease) == 1;
		}
		on(connection).update(this.sql.removePlaceholder, lease.identity().digest());
		return false;
	}

	@Override
	public int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		List<Lease> free = new ArrayList<>();
		Jdbc jdbc = on(connection);
		List<Lease> all = List.copyOf(leases);
		for (int from = 0; from < all.size(); from += BATCH) {
			List<Lease> batch = all.subList(from, Math.min(from + BATCH, all.size()));
			free.addAll(jdbc.query(Jdbc.in(this.sql.lockLeases, batch.size()),
					(row) -> new Lease(new Identity(row.getBytes(1), new byte[0]), row.getLong(2)),
					batch.stream().map((lease) -> (Object) lease.identity().digest()).toArray()));
		}
		free.retainAll(all);
		return extendAll(connection, free, duration);
	}

	private int extendAll(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException {
		return on(connection).updateEach(this.sql.extend, leases,
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
			on(connection).update(this.sql.markEffects, lease.identity().digest(), lease.fence());
		}
		return held;
	}

	@Override
	public boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException {
		if (isolation != Isolation.DEFAULT) {
			this.locks.isolate(connection, isolation);
		}
		return lock(connection, lease);
	}

	private boolean lock(Connection connection, Lease lease) throws SQLException {
		return on(connection).exists(this.sql.lockLease, lease.identity().digest(), lease.fence());
	}

	@Override
	public boolean supersede(Connection connection, Lease lease) throws SQLException {
		return this.locks.unlessLocked(on(connection), false,
				(jdbc) -> jdbc.exists(this.sql.lockSuperseded, lease.identity().digest(), lease.fence())
						&& release(connection, lease) == 1);
	}

	/**
	 * Locks rows by their key: on the way over the index of their times a node would lock
	 * entries of rows that another one deletes, and each would wait for the other.
	 */
	@Override
	public int deleteExpired(Connection connection, int limit) throws SQLException {
		Jdbc jdbc = on(connection);
		List<byte[]> free = new ArrayList<>();
		int offset = 0;
		while (free.size() < limit) {
			int wanted = Math.min(BATCH, limit - free.size());
			List<byte[]> seen = jdbc.query(this.sql.findExpired, (row) -> row.getBytes(1), wanted, offset);
			free.addAll(lock(jdbc, seen));
			offset += wanted;
			if (seen.size() < wanted) {
				break;
			}
		}
		return jdbc.updateEach(this.sql.deleteRecord, free, (id) -> new Object[] { id });
	}

	private List<byte[]> lock(Jdbc jdbc, List<byte[]> ids) throws SQLException {
		return ids.isEmpty() ? ids
				: jdbc.query(Jdbc.in(this.sql.lockExpired, ids.size()), (row) -> row.getBytes(1), ids.toArray());
	}

}
