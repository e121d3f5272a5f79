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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.Lease.Progress;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Oldest;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.StoredRecord;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

/**
 * The rows of the statements as objects: the columns and their order are the same in each
 * database. Times are read as they are; durations are microseconds.
 */
final class Rows {

	private static final ClaimResult ACQUIRED = new ClaimResult.Acquired();

	private static final ClaimResult BUSY = new ClaimResult.Busy();

	private Rows() {
	}

	static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	private static Duration duration(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

	static OffsetDateTime time(Instant instant) {
		return instant.atOffset(ZoneOffset.UTC);
	}

	static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	private static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
		OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
		return (time != null) ? time.toInstant() : null;
	}

	/**
	 * Reads a record or a lease. Columns: fingerprint, status, content, fence, expired,
	 * stuck, remaining microseconds, token. A record has no fence.
	 */
	static ClaimResult attempt(ResultSet row, Identity identity) throws SQLException {
		byte[] fingerprint = row.getBytes(1);
		long fence = row.getLong(4);
		if (row.wasNull()) {
			EncodedResponse answer = new EncodedResponse(row.getShort(2), row.getBytes(3));
			return new StoredRecord(fingerprint, answer, duration(row.getLong(7)), row.getLong(8));
		}
		Lease lease = new Lease(identity, fence);
		if (!row.getBoolean(5)) {
			return new ClaimResult.Held(fingerprint, lease);
		}
		return row.getBoolean(6) ? new ClaimResult.Stuck(fingerprint, lease)
				: new ClaimResult.Abandoned(fingerprint, lease);
	}

	/**
	 * Selects the live record, or else the lease: a record takes precedence over a lease
	 * that is left over.
	 */
	static @Nullable ClaimResult first(List<ClaimResult> found) {
		for (ClaimResult result : found) {
			if (result instanceof StoredRecord) {
				return result;
			}
		}
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Returns the result of an attempt to lock an identity for a transaction.
	 * @param locked whether the transaction has the lock
	 * @param found the record or lease, {@code null} if there is none
	 */
	static ClaimResult acquired(boolean locked, @Nullable ClaimResult found) {
		if (found == null) {
			return locked ? ACQUIRED : BUSY;
		}
		return (!locked && found instanceof ClaimResult.Abandoned abandoned) ? abandoned.asHeld() : found;
	}

	/**
	 * Reads the progress of a request. Columns: attempts, recovery point, steps.
	 */
	static Progress progress(ResultSet row) throws SQLException {
		return new Progress(row.getInt(1), row.getString(2), row.getBytes(3));
	}

	/**
	 * Reads an unfinished request. Columns: id, account, fence, operation, fingerprint,
	 * created_at, lease_until, running, effects, attempts, recovery_point, steps,
	 * command, retry_at, stuck_at, last_error, node.
	 */
	static UnfinishedRecord unfinished(ResultSet row) throws SQLException {
		Lease lease = new Lease(identity(row), row.getLong(3));
		Progress progress = new Progress(row.getInt(10), row.getString(11), row.getBytes(12));
		return new UnfinishedRecord(lease, row.getString(4), row.getBytes(5), instant(row, 6), instant(row, 7),
				row.getBoolean(8), row.getBoolean(9), progress, row.getBytes(13), instantOrNull(row, 14),
				instantOrNull(row, 15), row.getString(16), row.getString(17));
	}

	/**
	 * Reads an identity. Columns: id, account.
	 */
	static Identity identity(ResultSet row) throws SQLException {
		return new Identity(row.getBytes(1), row.getBytes(2));
	}

	/**
	 * Reads a live record. Columns: id, account, operation, fingerprint, status, content,
	 * finished_at, expires_at.
	 */
	static KeptRecord kept(ResultSet row) throws SQLException {
		return new KeptRecord(identity(row), row.getString(3), row.getBytes(4),
				new EncodedResponse(row.getShort(5), row.getBytes(6)), instant(row, 7), instant(row, 8));
	}

	/**
	 * Reads the counts of records and requests. Columns: records, running, waiting,
	 * stuck, microseconds since the oldest request, its operation.
	 */
	static Overview overview(ResultSet row) throws SQLException {
		String operation = row.getString(6);
		Oldest oldest = (operation != null) ? new Oldest(duration(row.getLong(5)), operation) : null;
		return new Overview(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4), oldest);
	}

}
