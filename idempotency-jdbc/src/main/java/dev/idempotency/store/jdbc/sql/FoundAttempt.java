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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Attempt;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.StoredRecord;

/**
 * Reads the record and the lease of an identity. Both have the columns fingerprint,
 * status, content, fence, expired, stuck, remaining microseconds and token; a record has
 * no fence.
 */
public final class FoundAttempt {

	private FoundAttempt() {
	}

	/**
	 * Selects the live record, or else the lease: a record takes precedence over a lease
	 * that is left over.
	 */
	public static @Nullable Attempt of(List<Attempt> found) {
		return found.stream()
			.filter(Attempt.Found.class::isInstance)
			.findFirst()
			.orElse(found.isEmpty() ? null : found.get(0));
	}

	/**
	 * Reads the current row.
	 */
	public static Attempt read(ResultSet row, Identity identity) throws SQLException {
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
