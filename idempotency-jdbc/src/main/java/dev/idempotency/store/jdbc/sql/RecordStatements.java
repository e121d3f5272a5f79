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
package dev.idempotency.store.jdbc.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.database.Statements;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.LeaseRequest;
import dev.idempotency.store.LeaseStore.Effect;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.jdbc.connection.OwnTransactions;

/**
 * The statements behind {@link IdempotencyStore}, on a connection chosen by the caller.
 * The transaction on it is the caller's, too, unless {@link OwnTransactions} has made it.
 */
public abstract class RecordStatements extends Statements {

	private final String isHeld = sql("select 1 from idempotency_lease where id = ? and fence = ?");

	private final String advance = sql("""
			update idempotency_lease set recovery_point = ?, steps = ?, lease_until = :later
			where id = ? and fence = ? and coalesce(recovery_point, '') = ?""");

	/**
	 * The lock of the row is the one that a phase holds from begin to end.
	 */
	private final String progress = sql("""
			select attempts, recovery_point, steps from idempotency_lease
			where id = ? and fence = ? for update""");

	/**
	 * A sender who is present again gets the time that the completer leaves to senders:
	 * the time of the completer's next attempt is cleared if it has passed. A later one
	 * is kept, so that a sender does not shorten the completer's pauses.
	 */
	private final String interrupt = sql("""
			update idempotency_lease set fence = :fence, lease_until = :now, last_error = ?, uncounted = uncounted + ?,
				retry_at = case when ? = 1 or retry_at > :now then retry_at end,
				left_to_sender = ?, stuck_at = case when ? = 1 then :now end
			where id = ? and fence = ?""");

	private final String release = sql("delete from idempotency_lease where id = ? and fence = ?");

	private final String now = sql("select :micros(:now)");

	protected RecordStatements(Syntax syntax) {
		super(syntax::in);
	}

	protected static Jdbc on(Connection connection) {
		return new Jdbc(connection);
	}

	public abstract Attempt acquire(Connection connection, Identity identity) throws SQLException;

	/**
	 * Reads as {@link #acquire} does, on a separate connection and without lasting
	 * effects.
	 */
	public abstract Attempt probe(Connection connection, Identity identity) throws SQLException;

	public abstract boolean finish(Connection connection, FinishedRecord finished) throws SQLException;

	/**
	 * Writes the record of a failure, after the transaction of the claim was rolled back.
	 */
	public boolean finishAfterRollback(Connection connection, FinishedRecord finished) throws SQLException {
		return finish(connection, finished);
	}

	/**
	 * Returns whether one message can hold several statements: a claim, or a record or
	 * fence and the COMMIT.
	 */
	public boolean sendsSeveralAtOnce() {
		return false;
	}

	/**
	 * Writes the record and commits in one message, or fails with a
	 * {@link dev.idempotency.store.RecordConflictException} if a live record exists.
	 */
	public void finishAndCommit(Connection connection, FinishedRecord finished) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	public abstract Attempt lease(Connection connection, LeaseRequest request, String namespace, OpenRequests open)
			throws SQLException;

	/**
	 * Extends leases. Outside auto-commit mode a message of several statements also sets
	 * READ COMMITTED and commits.
	 * @return the number of those that are still held
	 */
	public abstract int extend(Connection connection, Collection<Lease> leases, Duration duration) throws SQLException;

	public abstract boolean confirm(Connection connection, Lease lease, Effect effect) throws SQLException;

	/**
	 * Confirms and commits in one message, or fails with a
	 * {@link dev.idempotency.exception.LeaseLostException} ahead of the COMMIT.
	 */
	public void confirmAndCommit(Connection connection, Lease lease, Effect effect) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	public final boolean isHeld(Connection connection, Lease lease) throws SQLException {
		return on(connection).exists(this.isHeld, lease.identity().digest(), lease.fence());
	}

	public abstract boolean hold(Connection connection, Lease lease, Isolation isolation) throws SQLException;

	public final boolean advance(Connection connection, Lease lease, @Nullable String from,
			@Nullable String recoveryPoint, byte[] steps, Duration duration) throws SQLException {
		return on(connection).update(this.advance, recoveryPoint, steps, Syntax.micros(duration),
				lease.identity().digest(), lease.fence(), (from != null) ? from : "") == 1;
	}

	public final Optional<Progress> progress(Connection connection, Lease lease) throws SQLException {
		return on(connection)
			.query(this.progress, (row) -> new Progress(row.getInt(1), row.getString(2), row.getBytes(3)),
					lease.identity().digest(), lease.fence())
			.stream()
			.findFirst();
	}

	public final int interrupt(Connection connection, Lease lease, Interruption interruption) throws SQLException {
		return on(connection).update(this.interrupt, interruption.error(), interruption.counted() ? 0 : 1,
				interruption.counted() ? 1 : 0, interruption.resumption() != Resumption.ANYBODY,
				(interruption.resumption() == Resumption.SENDER_OF_STUCK) ? 1 : 0, lease.identity().digest(),
				lease.fence());
	}

	public abstract boolean finish(Connection connection, Lease lease, FinishedRecord finished) throws SQLException;

	/**
	 * Finishes and commits in one message, or fails ahead of the COMMIT: with a
	 * {@link dev.idempotency.exception.LeaseLostException}, or with a
	 * {@link dev.idempotency.store.RecordConflictException} if a live record exists.
	 */
	public void finishAndCommit(Connection connection, Lease lease, FinishedRecord finished) throws SQLException {
		throw new UnsupportedOperationException("A message is one statement");
	}

	public final int release(Connection connection, Lease lease) throws SQLException {
		return on(connection).update(this.release, lease.identity().digest(), lease.fence());
	}

	public abstract int abandon(Connection connection, Collection<Lease> leases) throws SQLException;

	public abstract boolean supersede(Connection connection, Lease lease) throws SQLException;

	public abstract int deleteExpired(Connection connection, int limit) throws SQLException;

	public final Instant now(Connection connection) throws SQLException {
		return on(connection).queryOne(this.now, (row) -> Syntax.instant(row.getLong(1)));
	}

	/**
	 * Selects the live record, or else the lease: a record takes precedence over a lease
	 * that is left over.
	 */
	public static @Nullable Attempt first(List<Attempt> found) {
		return found.stream()
			.filter(Attempt.Found.class::isInstance)
			.findFirst()
			.orElse(found.isEmpty() ? null : found.get(0));
	}

	/**
	 * Reads a record or a lease. Both have the columns fingerprint, status, content,
	 * fence, expired, stuck, remaining microseconds and token; a record has no fence.
	 */
	public static Attempt readAttempt(ResultSet row, Identity identity) throws SQLException {
		byte[] fingerprint = row.getBytes(1);
		long fence = row.getLong(4);
		if (row.wasNull()) {
			StoredAnswer answer = new StoredAnswer(row.getShort(2), row.getBytes(3));
			return new Attempt.Found(
					new StoredRecord(fingerprint, answer, Syntax.duration(row.getLong(7)), row.getLong(8)));
		}
		Lease lease = new Lease(identity, fence);
		if (!row.getBoolean(5)) {
			return new Attempt.Held(fingerprint, lease);
		}
		return row.getBoolean(6) ? new Attempt.Stuck(fingerprint, lease) : new Attempt.Abandoned(fingerprint, lease);
	}

	/**
	 * Returns the result of an attempt to lock an identity for a transaction.
	 * @param locked whether the transaction has the lock
	 * @param found the record or lease, {@code null} if there is none
	 */
	public static Attempt acquired(boolean locked, @Nullable Attempt found) {
		if (found == null) {
			return locked ? new Attempt.Acquired() : new Attempt.Busy();
		}
		return (!locked && found instanceof Attempt.Abandoned abandoned) ? abandoned.asHeld() : found;
	}

}
