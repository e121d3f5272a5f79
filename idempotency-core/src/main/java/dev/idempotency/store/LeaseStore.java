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
 * <li>{@link #lease} commits a claim before anything runs, and only one caller gets it.
 * An expired claim may be taken over, with a new fence. It reads the record
 * <em>after</em> it has claimed, in the same transaction: a record always takes
 * precedence, and a lost claim leaves nothing behind. A claim on an identity with a
 * record is deleted wherever it is found, and never executed.</li>
 * <li>{@link #extend} moves the end of all claims of a node in one statement.</li>
 * <li>{@link #confirm} runs at the end of every transaction of the owner that is not the
 * finish. It fails if the caller has lost the claim, prevents a takeover until that
 * transaction ends, and records that there are effects that must not be repeated.</li>
 * <li>{@link #finish(Lease, FinishedRecord)} ends the claim and writes the record, both
 * or neither.</li>
 * <li>Every change of a claim requires its fence. Only the owner ends it.</li>
 * </ol>
 *
 * <h2>Phases</h2>
 * <ol>
 * <li>{@link #hold} is the first statement of a phase's transaction. It locks the claim
 * until the end of that transaction, so that no heartbeat or takeover intervenes, and
 * fails if the caller has lost the claim.</li>
 * <li>{@link #advance} is the last one: it stores the results of the completed steps and
 * the recovery point, and extends the claim. It requires the recovery point with which
 * the caller began, so that a step that was committed without the caller's knowledge is
 * not lost.</li>
 * <li>{@link #progress} determines the outcome of an {@link #advance} that got no
 * reply.</li>
 * <li>{@link #interrupt} releases a claim and keeps its progress. The next owner gets it
 * as the {@link Progress} of its {@link ClaimResult}.</li>
 * </ol>
 *
 * All times are by the database's clock ({@code clock_timestamp()}), so that application
 * clocks do not matter.
 */
public interface LeaseStore extends IdempotencyStore {

	/**
	 * Claims an identity and commits the claim, in a separate transaction.
	 * @param request the request for the claim
	 * @return {@link ClaimResult.Leased} if the caller has the claim, otherwise the state
	 * of the identity
	 */
	ClaimResult lease(LeaseRequest request);

	/**
	 * Extends claims, in a separate transaction. Skips claims that are lost or are being
	 * finished.
	 * @param leases the claims of this node
	 * @param duration the duration of the claims from now on
	 */
	void extend(Collection<Lease> leases, Duration duration);

	/**
	 * Checks in the current transaction that the caller still has a claim, and records
	 * the commit of effects that must not be repeated.
	 * @param lease the claim
	 * @param effect the kind of effects
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	boolean confirm(Lease lease, Effect effect);

	/**
	 * Checks a claim like {@link #confirm}, while the current transaction is being
	 * committed and its synchronizations are called. A store may check the claim together
	 * with the commit. If the claim is lost, the commit then fails with a
	 * {@link LeaseLostException} as a cause.
	 * @param lease the claim
	 * @param effect the kind of effects
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	default boolean confirmWithCommit(Lease lease, Effect effect) {
		return confirm(lease, effect);
	}

	/**
	 * Returns whether, in a transaction with the default isolation, a statement sees what
	 * was committed before the statement. Otherwise a row that was changed meanwhile
	 * would end the transaction, so an owner holds its claim from the start of its
	 * transaction, and heartbeats skip it.
	 * @return {@code true} unless overridden
	 */
	default boolean readsCommitted() {
		return true;
	}

	/**
	 * Returns whether the caller still has a claim, in a separate transaction that
	 * changes nothing. The claim may be lost immediately afterwards.
	 * @param lease the claim
	 * @return whether the caller has it
	 */
	boolean isHeld(Lease lease);

	/**
	 * Locks a claim for the current transaction, which must have done nothing yet.
	 * Entities that were read before are detached: the transaction reads everything
	 * again.
	 * @param lease the claim
	 * @param isolation the isolation of the transaction, set in the same message; the
	 * transaction manager would need three
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	boolean hold(Lease lease, Isolation isolation);

	/**
	 * Locks a claim for the current transaction, which must have done nothing yet, as
	 * {@link #hold(Lease, Isolation)} does, without a change of its isolation or of
	 * entities.
	 * @param lease the claim
	 * @return {@code false} if it is lost
	 */
	boolean hold(Lease lease);

	/**
	 * Stores the progress of a claimed request, and extends the claim: in the current
	 * transaction if there is one, otherwise in a separate one.
	 * @param lease the claim
	 * @param from the last recovery point known to the caller, {@code null} for none
	 * @param recoveryPoint the last completed step, {@code null} if there is none yet
	 * @param steps the results of the completed steps and the names of the begun ones,
	 * encoded
	 * @param duration the duration of the claim from now on
	 * @return {@code false} if the claim is lost or has another recovery point; a current
	 * transaction must then be rolled back
	 */
	boolean advance(Lease lease, @Nullable String from, @Nullable String recoveryPoint, byte[] steps,
			Duration duration);

	/**
	 * Reads the progress of a claimed request in a separate transaction, after waiting
	 * for a transaction that is changing it. This determines the outcome of a phase whose
	 * commit got no reply: the transaction of the phase has ended by then.
	 * @param lease the claim
	 * @return the progress, empty if the claim is lost
	 */
	Optional<Progress> progress(Lease lease);

	/**
	 * Releases a claim and keeps its progress, in a separate transaction: the next
	 * delivery, or the completer, resumes. The claim gets a new fence, so that a late
	 * message of its former owner, such as a heartbeat, has no effect.
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
	 * transaction, which the caller commits next. The commit checks the claim: where
	 * {@code finish} would return {@code false}, the commit fails with a
	 * {@link LeaseLostException} or a {@link RecordConflictException} as a cause.
	 * @param lease the claim
	 * @param finished the record
	 * @return {@code false} if nothing was done: the caller has to finish before it
	 * commits
	 */
	default boolean finishAtCommit(Lease lease, FinishedRecord finished) {
		return false;
	}

	/**
	 * Ends a claim without a record in a separate transaction: the next delivery runs.
	 * @param lease the claim
	 */
	void release(Lease lease);

	/**
	 * Lets claims expire now, in a separate transaction, because this node stops before
	 * their owners have finished.
	 * @param leases the claims
	 */
	void abandon(Collection<Lease> leases);

	/**
	 * Removes an expired claim in the current transaction, which executes the request
	 * instead.
	 * @param lease the claim of a {@link ClaimResult.Abandoned}
	 * @return {@code false} if it has been taken over, extended, or has committed effects
	 */
	boolean supersede(Lease lease);

	/**
	 * Kinds of effects of a request.
	 */
	enum Effect {

		/**
		 * The effects must not be repeated: the request is not executed again.
		 */
		ONCE,

		/**
		 * The effects may be repeated: the request may be executed again.
		 */
		REPEATABLE

	}

	/**
	 * Those who resume a request.
	 */
	enum Resumption {

		/**
		 * Its sender or the completer.
		 */
		ANYBODY,

		/**
		 * Its sender alone.
		 */
		SENDER,

		/**
		 * Its sender alone, and operators have to know: the request is stuck.
		 */
		SENDER_OF_STUCK

	}

	/**
	 * The end of an attempt that may be resumed.
	 *
	 * @param error the names of its exceptions, for operators, without secrets;
	 * {@code null} if they are not known
	 * @param counted whether the attempt counts; attempts by the sender do not
	 * @param resumption who resumes the request
	 */
	record Interruption(@Nullable String error, boolean counted, Resumption resumption) {

		/**
		 * Creates the end of an attempt after which anybody resumes the request.
		 * @param error the names of its exceptions
		 * @param counted whether the attempt counts
		 */
		public Interruption(@Nullable String error, boolean counted) {
			this(error, counted, Resumption.ANYBODY);
		}

	}

}
