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

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.annotation.Isolation;

import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.store.Lease.Progress;

/**
 * A store that also keeps leases, for operations in mode LEASED and for phases. A claim
 * is an expiring row, separate from the records.
 *
 * <h2>LEASED</h2>
 * <ol>
 * <li>{@link #lease} commits a claim before anything runs, and only one of all callers
 * gets it; a claim that has expired may be taken over, with a new fence. It reads the
 * record <em>after</em> it has claimed, in the same transaction: a record always takes
 * precedence, and a lost claim leaves nothing behind. A claim of an identity that has a
 * record is deleted wherever it is found, and never executed.</li>
 * <li>{@link #extend} moves the end of a node's claims, all in one statement.</li>
 * <li>{@link #confirm} runs at the end of every transaction of the owner that is not the
 * finish. It fails if the claim is no longer the caller's, prevents its takeover until
 * that transaction ends, and records that there are effects that must not be
 * repeated.</li>
 * <li>{@link #finish(Lease, FinishedRecord)} ends the claim and writes the record, both
 * or neither.</li>
 * <li>Every change of a claim requires its fence. Only the owner ends it.</li>
 * </ol>
 *
 * <h2>Phases</h2>
 * <ol>
 * <li>{@link #hold} is the first statement of a phase's transaction: it locks the claim
 * until the end of that transaction, so that no heartbeat or takeover intervenes, and
 * fails if the claim is no longer the caller's.</li>
 * <li>{@link #advance} is the last one: it stores the results of the completed steps and
 * the recovery point, and extends the claim. It requires the recovery point that the
 * caller began with, so that a step that was committed without the caller's knowledge is
 * not lost.</li>
 * <li>{@link #progress} determines the outcome of an {@link #advance} that got no
 * reply.</li>
 * <li>{@link #interrupt} releases a claim and keeps its progress. The next owner gets it
 * as the {@link Progress} of its {@link Attempt}.</li>
 * </ol>
 *
 * All times are the database's ({@code clock_timestamp()}), so that application clocks do
 * not matter.
 */
public interface LeaseStore extends IdempotencyStore {

	/**
	 * Claims an identity and commits the claim, in a separate transaction.
	 * @param request the request for the claim
	 * @return {@link Attempt.Leased} if the claim is the caller's, otherwise what was
	 * found
	 */
	Attempt lease(LeaseRequest request);

	/**
	 * Extends claims, in a separate transaction. Skips claims that are lost, or that are
	 * just being finished.
	 * @param leases the claims of this node
	 * @param duration how long they hold from now on
	 */
	void extend(Collection<Lease> leases, Duration duration);

	/**
	 * Checks in the current transaction that a claim is still the caller's, and records
	 * that effects are being committed that must not be repeated.
	 * @param lease the claim
	 * @param effect what kind of effects
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	boolean confirm(Lease lease, Effect effect);

	/**
	 * Checks a claim like {@link #confirm}, while the current transaction is being
	 * committed and its synchronizations are called. A store may check the claim together
	 * with the commit: it is then the commit that fails, with a
	 * {@link LeaseLostException} as a cause, if the claim is lost.
	 * @param lease the claim
	 * @param effect what kind of effects
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	default boolean confirmWithCommit(Lease lease, Effect effect) {
		return confirm(lease, effect);
	}

	/**
	 * Returns whether a statement sees what was committed before it, in a transaction
	 * with the default isolation. Otherwise a row that was changed meanwhile would end
	 * the transaction, so an owner then holds its claim from the start of its
	 * transaction, and heartbeats skip it.
	 * @return {@code true} unless overridden
	 */
	default boolean readsCommitted() {
		return true;
	}

	/**
	 * Returns whether a claim is still the caller's, in a separate transaction that
	 * changes nothing. It may be lost right after.
	 * @param lease the claim
	 * @return whether it is the caller's
	 */
	boolean isHeld(Lease lease);

	/**
	 * Locks a claim for the current transaction, which must have done nothing yet.
	 * Entities that were read before are detached: the transaction reads everything
	 * again.
	 * @param lease the claim
	 * @param isolation the isolation of the transaction, which is set in the same
	 * message: set by the transaction manager it would take three
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	boolean hold(Lease lease, Isolation isolation);

	/**
	 * Stores the progress of a claimed request, and extends the claim: in the current
	 * transaction if there is one, otherwise in a separate one.
	 * @param lease the claim
	 * @param from the recovery point that the caller knows of, {@code null} for none
	 * @param recoveryPoint the last step that is done
	 * @param steps the results of all steps, encoded
	 * @param duration how long the claim holds from now on
	 * @return {@code false} if it is lost, or has another recovery point; a current
	 * transaction must then be rolled back
	 */
	boolean advance(Lease lease, @Nullable String from, String recoveryPoint, byte[] steps, Duration duration);

	/**
	 * Reads the progress of a claimed request in a separate transaction, after waiting
	 * for a transaction that is changing it. This determines the outcome of a phase whose
	 * commit got no reply: its transaction has ended when this returns.
	 * @param lease the claim
	 * @return the progress, empty if the claim is lost
	 */
	Optional<Progress> progress(Lease lease);

	/**
	 * Releases a claim and keeps its progress, in a separate transaction: the next
	 * delivery, or the completer, resumes. The claim gets a new fence, so that a late
	 * message of its former owner, such as a heartbeat, does not extend it.
	 * @param lease the claim
	 * @param interruption the end of the attempt
	 */
	void interrupt(Lease lease, Interruption interruption);

	/**
	 * Ends a claim and writes its record: in the current transaction if there is one,
	 * otherwise in a separate one.
	 * @param lease the claim
	 * @param finished the record
	 * @return {@code false} if the claim is lost or there is a live record; a current
	 * transaction must then be rolled back
	 */
	boolean finish(Lease lease, FinishedRecord finished);

	/**
	 * Leaves {@link #finish(Lease, FinishedRecord)} to the commit of the current
	 * transaction, which the caller commits next. The claim is checked then: if the
	 * finish would be {@code false}, the commit fails with a {@link LeaseLostException}
	 * or a {@link RecordConflictException} as a cause.
	 * @param lease the claim
	 * @param finished the record
	 * @return {@code false} if nothing was done, and the caller has to finish before it
	 * commits
	 */
	default boolean finishAtCommit(Lease lease, FinishedRecord finished) {
		return false;
	}

	/**
	 * Ends a claim without a record, because its owner has failed with an answer: the
	 * next delivery runs. In a separate transaction.
	 * @param lease the claim
	 */
	void release(Lease lease);

	/**
	 * Lets claims expire now, because this node stops before their owners have finished.
	 * In a separate transaction.
	 * @param leases the claims
	 */
	void abandon(Collection<Lease> leases);

	/**
	 * Takes an expired claim away, in the current transaction, so that this transaction
	 * may execute the request instead.
	 * @param lease the claim of an {@link Attempt.Abandoned}
	 * @return {@code false} if it has been taken over, extended, or has committed effects
	 */
	boolean supersede(Lease lease);

	/**
	 * The effects of a request when it is executed again.
	 */
	enum Effect {

		/**
		 * The effects must not be repeated: the request is not executed again.
		 */
		ONCE,

		/**
		 * The request may be executed again.
		 */
		REPEATABLE

	}

	/**
	 * The end of an attempt that may be resumed.
	 *
	 * @param error the names of its exceptions, for operators, without anything secret;
	 * {@code null} if they are not known
	 * @param counted whether it counts as an attempt. Attempts that the sender repeats do
	 * not count
	 */
	record Interruption(@Nullable String error, boolean counted) {
	}

}
