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

/**
 * A store that also keeps leases, for operations in mode LEASED and for phases. A claim
 * is an expiring row beside the records.
 *
 * <h2>LEASED</h2>
 * <ol>
 * <li>{@link #lease} commits a separate claim before anything runs. Of all callers one
 * gets it; a claim that has expired may be taken over, with a new fence. It reads the
 * record <em>after</em> it has claimed, in the same transaction: a record always wins,
 * and a claim that loses leaves nothing behind. A claim beside a record is deleted by
 * whoever finds it, and never executed.</li>
 * <li>{@link #extend} moves the end of a node's claims, all in one statement.</li>
 * <li>{@link #confirm} runs at the end of every transaction of the owner that is not the
 * finish. It fails when the claim is no longer the caller's, keeps others from taking it
 * over until that transaction ends, and remembers that there are effects which must not
 * be made twice.</li>
 * <li>{@link #finish(Lease, FinishedRecord)} ends the claim and writes the record, both
 * or neither.</li>
 * <li>Whatever changes a claim shows its fence. Nobody but the owner ends it.</li>
 * </ol>
 *
 * <h2>Phases</h2>
 * <ol>
 * <li>{@link #hold} is the first statement of a phase's transaction: it locks the claim
 * until the end of that transaction, so that neither a heartbeat nor a takeover comes
 * between, and fails when the claim is no longer the caller's.</li>
 * <li>{@link #advance} is the last one: it stores the results of the steps that are done
 * and the recovery point, and extends the claim. It does so from the recovery point that
 * the caller began with and from no other, so that no step is forgotten that was
 * committed without the caller's knowledge.</li>
 * <li>{@link #progress} tells what became of an {@link #advance} without a reply.</li>
 * <li>{@link #interrupt} gives a claim back and keeps what it has come to. Whoever claims
 * it next finds that in the {@link Progress} of its {@link Attempt}.</li>
 * </ol>
 *
 * All times are the database's ({@code clock_timestamp()}), so that application clocks do
 * not matter.
 */
public interface LeaseStore extends IdempotencyStore {

	/**
	 * Claims an identity and commits the claim, in a separate transaction.
	 * @param request what the claim is made for
	 * @return {@link Attempt.Leased} if the claim is the caller's, otherwise what was
	 * found
	 */
	Attempt lease(LeaseRequest request);

	/**
	 * Extends claims, in a separate transaction. Claims that are lost are left alone, and
	 * so are those that are just being finished.
	 * @param leases the claims of this node
	 * @param duration how long they hold from now on
	 */
	void extend(Collection<Lease> leases, Duration duration);

	/**
	 * Checks in the current transaction that a claim is still the caller's, and remembers
	 * with it that effects are being committed which must not be made twice.
	 * @param lease the claim
	 * @param effect what kind of effects
	 * @return {@code false} if it is lost; the current transaction must then be rolled
	 * back
	 */
	boolean confirm(Lease lease, Effect effect);

	/**
	 * As {@link #confirm}, where the current transaction is being committed and its
	 * synchronizations are called. A store may check the claim together with the commit:
	 * it is then the commit that fails, with a {@link LeaseLostException} as a cause, if
	 * the claim is lost.
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
	 * with the isolation that transactions have by default. Where it does not, and a row
	 * that was changed meanwhile ends the transaction, an owner holds its claim from the
	 * begin of its transaction on, and heartbeats pass it by.
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
	 * Keeps a claim for the current transaction, which must have done nothing yet.
	 * Entities that were read before are forgotten: the transaction reads all anew.
	 * @param lease the claim
	 * @param isolation the isolation that the transaction is to have. It is set with the
	 * same message: set by the transaction manager it costs three
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
	 * Reads how far a claimed request has come, after whoever is just changing that, in a
	 * separate transaction. This tells what became of a phase whose commit had no reply:
	 * its transaction has ended by the return.
	 * @param lease the claim
	 * @return the progress, empty if the claim is lost
	 */
	Optional<Progress> progress(Lease lease);

	/**
	 * Gives a claim back and keeps its progress: the next delivery, or the completer,
	 * resumes. In a separate transaction.
	 * @param lease the claim
	 * @param interruption how it ended
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
	 * transaction, which the caller asks for next. The claim is checked then: it is the
	 * commit that fails, with a {@link LeaseLostException} or a
	 * {@link RecordConflictException} as a cause, where the finish would be
	 * {@code false}.
	 * @param lease the claim
	 * @param finished the record
	 * @return {@code false} if nothing was done, and the caller has to finish before it
	 * commits
	 */
	default boolean finishAtCommit(Lease lease, FinishedRecord finished) {
		return false;
	}

	/**
	 * Ends a claim and writes its record, as the last statement of a phase.
	 * @param lease the claim
	 * @param finished the record
	 * @return {@code false} if the claim is lost or there is a live record; the current
	 * transaction must then be rolled back
	 */
	boolean finishPhase(Lease lease, FinishedRecord finished);

	/**
	 * Ends a claim without a record, because its owner has failed and said so: the next
	 * delivery runs. In a separate transaction.
	 * @param lease the claim
	 */
	void release(Lease lease);

	/**
	 * Lets claims expire now, because this node stops before their owners have come to an
	 * end. In a separate transaction.
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
		 * They must not be made again: the request is not executed again.
		 */
		ONCE,

		/**
		 * The request may be executed again.
		 */
		REPEATABLE

	}

}
