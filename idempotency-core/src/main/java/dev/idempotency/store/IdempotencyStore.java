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
package dev.idempotency.store;

import java.time.Instant;

/**
 * A store of the records of finished requests, for operations in mode TRANSACTIONAL. Mode
 * LEASED and phases need a {@link LeaseStore}. The engine relies on the following rules;
 * the contract suite in the project's module {@code tests/store-contract} checks them for
 * every implementation.
 * <ol>
 * <li>{@link #acquire} runs first in the transaction that the business rows will use. It
 * tries to lock the identity until the end of that transaction, without waiting, and
 * <em>then</em> reads the record, with a snapshot taken after the lock: a record whose
 * owner committed before the lock was free is always seen.</li>
 * <li>The lock belongs to the transaction: it ends with a commit, a rollback and a lost
 * connection. A crash leaves no lease to wait for.</li>
 * <li>{@link #finish} writes the complete record, once, in the same transaction, and
 * fails in any other: effects and record are one commit, or none. The unique index on the
 * identity decides, not the lock: if another caller has written a live record, the result
 * is {@code false} and the caller rolls back.</li>
 * <li>{@link #probe} is {@link #acquire} on a separate connection, which is released
 * before it returns. It determines the outcome of a commit that got no reply:
 * {@link StoredRecord} for committed, {@link ClaimResult.Acquired} for not committed and
 * never to be, {@link ClaimResult.Busy} for not yet decided. The token of a record
 * identifies the execution that wrote it.</li>
 * </ol>
 *
 * All times are by the database's clock ({@code clock_timestamp()}), so that application
 * clocks do not matter.
 */
public interface IdempotencyStore {

	/**
	 * Tries to lock the identity for the current transaction, without waiting, and then
	 * reads its record.
	 * @param identity the identity
	 * @return the state of the identity
	 */
	ClaimResult acquire(Identity identity);

	/**
	 * Reads the state of an identity outside any transaction of the caller.
	 * @param identity the identity
	 * @return the state of the identity; nothing is held after the return
	 */
	ClaimResult probe(Identity identity);

	/**
	 * Returns whether {@link #probe} takes one message to the database, and
	 * {@link #acquire} with the end of its transaction more. Likely duplicates are then
	 * probed first.
	 * @return {@code false} unless overridden
	 */
	default boolean probesInOneMessage() {
		return false;
	}

	/**
	 * Writes a record in the current transaction, which has called
	 * {@link #acquire(Identity)}, and replaces an expired one. Fails if the current
	 * transaction is another one: the handler has ended the claim's transaction.
	 * @param finished the record
	 * @return {@code false} if there is already a live record; the current transaction
	 * must then be rolled back
	 */
	boolean finish(FinishedRecord finished);

	/**
	 * Writes the record of a failure in the current transaction, which is a new one: the
	 * claim's transaction was rolled back, and its lock is free.
	 * @param finished the record
	 * @return {@code false} if there is already a live record
	 */
	default boolean finishAfterRollback(FinishedRecord finished) {
		return finish(finished);
	}

	/**
	 * Writes a record like {@link #finish(FinishedRecord)}, for a caller that commits
	 * next, in the transaction that has called {@link #acquire(Identity)}. A store may
	 * keep the record and send it together with the commit. If there is already a live
	 * record, the commit then fails with a {@link RecordConflictException} as a cause.
	 * @param finished the record
	 * @return {@code false} if there is already a live record; the current transaction
	 * must then be rolled back
	 */
	default boolean finishWithCommit(FinishedRecord finished) {
		return finish(finished);
	}

	/**
	 * Deletes finished records whose time to live has passed, in a separate transaction.
	 * Any number of nodes can do so at once, without waiting for each other.
	 * @param limit the maximum number
	 * @return the number of deleted records; fewer than the limit if no more were free
	 */
	int deleteExpired(int limit);

	/**
	 * Reads the clock by which records live and end, on a separate connection.
	 * @return the time of day
	 */
	Instant now();

}
