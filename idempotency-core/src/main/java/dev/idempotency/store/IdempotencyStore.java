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
 * A store of the records of finished requests, which is all that operations in mode
 * TRANSACTIONAL need. For mode LEASED and for phases a store is a {@link LeaseStore}. The
 * engine keeps its promises on top of these rules; the contract suite of the test starter
 * checks them for every implementation.
 * <ol>
 * <li>{@link #acquire} runs first in the transaction that the business rows will use. It
 * tries to lock the identity until the end of that transaction, without waiting, and
 * <em>then</em> reads the record, with a snapshot taken after the lock: a record whose
 * owner committed before the lock was free is always seen.</li>
 * <li>The lock belongs to the transaction: it goes with a commit, a rollback and a lost
 * connection. There is no lease to wait for.</li>
 * <li>{@link #finish} writes the complete record, once, in the same transaction. The
 * unique index on the identity decides, not the lock: where somebody else has written a
 * live record the answer is {@code false} and the caller rolls back.</li>
 * <li>{@link #probe} is {@link #acquire} on a separate connection that is given back
 * before it returns. It tells what became of a commit without a reply:
 * {@link Attempt.Found} for committed, {@link Attempt.Acquired} for not committed and
 * never to be, {@link Attempt.Busy} for not yet decided. A record that is found tells by
 * its token which execution wrote it.</li>
 * </ol>
 *
 * All times are the database's ({@code clock_timestamp()}), so that application clocks do
 * not matter.
 */
public interface IdempotencyStore {

	/**
	 * Takes the identity for the current transaction, without waiting, and reads its
	 * record.
	 * @param identity the identity
	 * @return what was found
	 */
	Attempt acquire(Identity identity);

	/**
	 * Finds out about an identity outside of any transaction of the caller.
	 * @param identity the identity
	 * @return what was found; nothing is held after the return
	 */
	Attempt probe(Identity identity);

	/**
	 * Returns whether {@link #probe} is one message to the database, and {@link #acquire}
	 * with the end of its transaction more than that. Duplicates are then probed for
	 * first.
	 * @return {@code false} unless overridden
	 */
	default boolean probesInOneMessage() {
		return false;
	}

	/**
	 * Writes a record in the current transaction, in place of an expired one if there is
	 * one.
	 * @param finished the record
	 * @return {@code false} if there is a live record already; the current transaction
	 * must then be rolled back
	 */
	boolean finish(FinishedRecord finished);

	/**
	 * As {@link #finish(FinishedRecord)}, where the caller commits next. A store may keep
	 * the record until then and send it together with the commit: it is then the commit
	 * that fails, with a {@link RecordConflictException} as a cause, if there is a live
	 * record already.
	 * @param finished the record
	 * @return {@code false} if there is a live record already; the current transaction
	 * must then be rolled back
	 */
	default boolean finishWithCommit(FinishedRecord finished) {
		return finish(finished);
	}

	/**
	 * Deletes finished records whose time to live has passed, in a transaction of its
	 * own. Safe on any number of nodes at once: none waits for another.
	 * @param limit the maximum number
	 * @return how many were deleted; fewer than the limit when no more were free
	 */
	int deleteExpired(int limit);

	/**
	 * Reads the clock by which records live and end, on a separate connection.
	 * @return the time of day
	 */
	Instant now();

}
