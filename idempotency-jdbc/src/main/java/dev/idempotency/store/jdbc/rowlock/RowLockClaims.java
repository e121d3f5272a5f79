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

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.NodeName;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseRequest.LeaseLimits;
import dev.idempotency.store.jdbc.rowlock.RowLocks.LockWait;
import dev.idempotency.store.jdbc.sql.Jdbc;
import dev.idempotency.store.jdbc.sql.OpenRequests;
import dev.idempotency.store.jdbc.sql.OpenRequests.Counted;
import dev.idempotency.store.jdbc.sql.RecordStatements;
import dev.idempotency.store.jdbc.sql.Syntax;

/**
 * Reads the owner of a request, and claims leases.
 *
 * @param locks the locks
 * @param sql the statements
 */
record RowLockClaims(RowLocks locks, RecordSql sql) {

	/**
	 * Takes the lock for the current transaction, and reads.
	 */
	Attempt acquire(Jdbc jdbc, Identity identity) throws SQLException {
		boolean locked = this.locks.lock(jdbc, identity, LockWait.NONE);
		return RecordStatements.acquired(locked, find(jdbc, identity, locked));
	}

	/**
	 * Reads the live record or lease.
	 * @param locked whether the row of the record is locked by this transaction
	 */
	private @Nullable Attempt find(Jdbc jdbc, Identity identity, boolean locked) throws SQLException {
		return RecordStatements.first(jdbc.query(locked ? this.sql.readLocked : this.sql.read,
				(row) -> RecordStatements.readAttempt(row, identity), identity.digest(), identity.digest()));
	}

	/**
	 * Claims a lease. Unless it is acquired, there is nothing to commit.
	 */
	Attempt lease(Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests requests) throws SQLException {
		boolean locked = this.locks.lock(jdbc, request.identity(), LockWait.NONE);
		Attempt found = find(jdbc, request.identity(), locked);
		if (!locked && found instanceof Attempt.Abandoned) {
			// Its owner is storing the answer, or another owner takes it over.
			locked = this.locks.lock(jdbc, request.identity(), LockWait.SECONDS);
			found = find(jdbc, request.identity(), locked);
		}
		if (!locked) {
			return (found != null) ? found : new Attempt.Busy();
		}
		if (found == null) {
			return insertWithin(jdbc, request, namespace, requests);
		}
		if (!(found instanceof Attempt.Abandoned)) {
			return found;
		}
		if (clearLeftover(jdbc, request.identity().digest())) {
			return insert(jdbc, request, namespace);
		}
		Progress left = lockAbandoned(jdbc, request);
		return (left != null) ? takeOver(jdbc, request, left) : found;
	}

	private Attempt insertWithin(Jdbc jdbc, LeaseRequest request, String namespace, OpenRequests requests)
			throws SQLException {
		Counted known = requests.of(request);
		long open = countWithin(jdbc, request, namespace, known);
		if (open < 0) {
			return new Attempt.Limited();
		}
		Attempt.Leased made = insert(jdbc, request, namespace);
		requests.claimed(request, known, made.lease().fence(), open);
		return made;
	}

	/**
	 * Counts the open requests that were claimed since an older count, and all where both
	 * together reach the limit.
	 * @return their number or more, {@code -1} if a limit is reached
	 */
	private long countWithin(Jdbc jdbc, LeaseRequest request, String namespace, Counted known) throws SQLException {
		LeaseLimits limits = request.limits();
		byte[] account = request.identity().account();
		long open = known.open() + count(jdbc, this.sql.countOpen, namespace, account, known.fence(), limits.maxOpen());
		if (!limits.allow(open, 0)) {
			open = count(jdbc, this.sql.countOpen, namespace, account, 0, limits.maxOpen());
		}
		return limits.allow(open, count(jdbc, this.sql.countStuck, namespace, account, 0, limits.maxStuck())) ? open
				: -1;
	}

	/**
	 * Counts up to the limit.
	 */
	private long count(Jdbc jdbc, String sql, String namespace, byte[] account, long fence, int limit)
			throws SQLException {
		return (limit == 0) ? 0 : jdbc.queryOne(sql, (row) -> row.getLong(1), namespace, account, fence, limit);
	}

	/**
	 * The previous query locks nothing: a lease that is not left over, as nearly all are,
	 * may be locked by a transaction that waits for this claim.
	 */
	private boolean clearLeftover(Jdbc jdbc, byte[] id) throws SQLException {
		return jdbc.exists(this.sql.isLeftover, (Object) id) && jdbc.update(this.sql.clearLeftover, (Object) id) == 1;
	}

	private Attempt.Leased insert(Jdbc jdbc, LeaseRequest request, String namespace) throws SQLException {
		long fence = nextFence(jdbc);
		jdbc.update(this.sql.insertLease, request.identity().digest(), namespace, request.identity().account(),
				request.operation(), request.fingerprint(), request.command(), fence, Syntax.micros(request.duration()),
				NodeName.CURRENT);
		return new Attempt.Leased(new Lease(request.identity(), fence), new Progress(1, null, null));
	}

	private @Nullable Progress lockAbandoned(Jdbc jdbc, LeaseRequest request) throws SQLException {
		List<Progress> left = this.locks.unlessLocked(jdbc, List.of(),
				(own) -> own.query(this.sql.lockAbandoned,
						(row) -> new Progress(row.getInt(1), row.getString(2), row.getBytes(3)),
						request.identity().digest(), request.takeover(), request.maxAttempts(), request.fingerprint()));
		return left.isEmpty() ? null : left.get(0);
	}

	private Attempt takeOver(Jdbc jdbc, LeaseRequest request, Progress left) throws SQLException {
		long fence = nextFence(jdbc);
		jdbc.update(this.sql.takeOver, fence, Syntax.micros(request.duration()), NodeName.CURRENT,
				request.identity().digest());
		return new Attempt.Leased(new Lease(request.identity(), fence),
				new Progress(left.attempts() + 1, left.recoveryPoint(), left.steps()));
	}

	private long nextFence(Jdbc jdbc) throws SQLException {
		return jdbc.queryOne(this.sql.nextFence, (row) -> row.getLong(1));
	}

}
