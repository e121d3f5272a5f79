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
package dev.idempotency.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification.Interrupted;
import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.RequestTransactions.CommitWatch;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.LeaseLostException;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.observation.GuardedObservation.Scope;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.observation.IdempotencyObservation.Outcome;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.StoredRecord;

/**
 * A request that this node owns and executes, from its claim to its end. Its observation
 * ends with it. <pre>
 * CLAIMED   finish          ENDED, answer and effects are durable
 *                           CLAIMED, its last phase has conflicted and is to be repeated
 *           release         RELEASED, effects are rolled back
 * RELEASED  recordFailure   ENDED, the response to the failure is durable
 *           endUnanswered   ENDED, the next delivery may run
 * </pre> It has a {@link Hold}, and while the transaction is open that will store its
 * response, that transaction:
 * <ul>
 * <li>from the claim, if effects and response commit together; the hold then ends with
 * that transaction</li>
 * <li>from its last phase, if it runs in phases; a last phase that cannot be serialised
 * is rolled back, and the hold stays for another attempt</li>
 * <li>never, if the handler commits as it likes, or has no last phase; the response is
 * then stored under the lease, after the handler has returned</li>
 * </ul>
 */
public final class Execution implements Claim {

	private static final Log logger = LogFactory.getLog(Execution.class);

	/**
	 * Maximum time for repeated attempts to store a response under a lease, or to ask the
	 * database for the outcome of a commit, before the caller has to retry.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(5);

	/**
	 * Maximum number of retries after conflicts when the response to a failure is stored.
	 */
	private static final int CONFLICTS = 5;

	private enum State {

		CLAIMED, RELEASED, ENDED

	}

	private final DuplicateHandler duplicates;

	private final ClaimRequest request;

	private final Hold hold;

	private final @Nullable PhasedWork phases;

	/**
	 * Set if effects and response commit together, in a transaction from the claim on.
	 */
	private final boolean once;

	private RequestObservation observation = RequestObservation.NONE;

	private @Nullable TransactionStatus transaction;

	private State state = State.CLAIMED;

	/**
	 * Creates the execution of a request that was claimed.
	 * @param duplicates handles the other deliveries of the request
	 * @param request the request
	 * @param hold the lock, or the lease and its phases
	 * @param transaction the open transaction that commits effects and response together,
	 * {@code null} if the handler has its own
	 */
	Execution(DuplicateHandler duplicates, ClaimRequest request, Hold hold, @Nullable TransactionStatus transaction) {
		this.duplicates = duplicates;
		this.request = request;
		this.hold = hold;
		this.phases = hold.phases();
		this.once = transaction != null;
		this.transaction = transaction;
	}

	/**
	 * Observes the request from its claim to its end.
	 */
	void observedBy(RequestObservation observation) {
		this.observation = observation;
		observation.event(Event.CLAIMED);
	}

	/**
	 * Observes a phase of the request on the current thread.
	 */
	<T extends @Nullable Object> T observe(IdempotencyObservation phase, String step, Supplier<T> work) {
		return this.observation.observe(phase, step, work);
	}

	/**
	 * Makes the current thread run the request. The claiming thread does so from the
	 * start.
	 */
	public void enterThread() {
		this.hold.enterThread();
	}

	/**
	 * Ends the work of the current thread for the request.
	 */
	public void leaveThread() {
		this.hold.leaveThread();
	}

	/**
	 * Observes the work of the current thread as part of the request.
	 * @return the scope, to be closed by the same thread
	 */
	public Scope openScope() {
		return this.observation.openScope();
	}

	/**
	 * Returns the transaction that will hold the response, open on the claiming thread.
	 * @return the transaction, or {@code null} if there is none or it has ended
	 */
	public @Nullable TransactionStatus transaction() {
		return (this.state == State.CLAIMED) ? this.transaction : null;
	}

	/**
	 * Leaves the response to the transaction of the last phase.
	 * @param transaction the open transaction
	 */
	public void finishIn(TransactionStatus transaction) {
		this.transaction = transaction;
	}

	/**
	 * Sends the changes of the work to the database, before its result is read: versions,
	 * times of changes and generated columns are set then, as they are in a result that
	 * is read after the commit. A failure to do so is a failure of the work, unless the
	 * database had refused an earlier statement and the work has answered that.
	 * @throws RuntimeException if the changes are refused
	 */
	public void flush() {
		TransactionStatus open = this.transaction;
		if (open == null || open.isRollbackOnly()) {
			return;
		}
		try {
			open.flush();
		}
		catch (RuntimeException ex) {
			if (!CommitFailure.isAborted(ex)) {
				throw ex;
			}
		}
	}

	/**
	 * Stores the response and commits. When this method returns, the response and its
	 * effects are durable. Nothing may be sent to the caller earlier.
	 * @param response the response
	 * @return the response of another delivery that finished first, to be sent in place
	 * of the given one; the effects of this execution are then rolled back
	 * @throws FinishConflictException if the last phase is rolled back after a conflict,
	 * and the handler is to be called again
	 * @throws RuntimeException if the effects are rolled back or their outcome is
	 * unknown; the response must not be sent
	 */
	public Optional<StoredResponse> finish(StoredResponse response) {
		this.observation.event(Event.STORING);
		Optional<StoredResponse> other;
		try (Scope scope = this.observation.openScope()) {
			other = store(response);
		}
		catch (FinishConflictException ex) {
			this.observation.event(Event.CONFLICT);
			throw ex;
		}
		this.observation.end(other.isPresent() ? Outcome.REPLAYED : Outcome.COMPLETED);
		return other;
	}

	private Optional<StoredResponse> store(StoredResponse response) {
		if (this.phases == null) {
			return (this.transaction != null) ? storeWithEffects(response, this.transaction)
					: storeUnderLease(response);
		}
		this.phases.requireAnswerable();
		if (this.transaction == null) {
			return storeUnderLease(response);
		}
		try {
			return storeWithEffects(response, this.transaction);
		}
		catch (RuntimeException ex) {
			boolean conflict = CommitFailure.isConflict(ex);
			if (conflict && this.phases.mayRepeat()) {
				enterThread();
				throw new FinishConflictException(ex);
			}
			release();
			throw conflict ? this.phases.interrupted(ex) : ex;
		}
		finally {
			this.transaction = null;
		}
	}

	/**
	 * Stores the response in the transaction of the effects, and commits that.
	 */
	private Optional<StoredResponse> storeWithEffects(StoredResponse response, TransactionStatus transaction) {
		FinishedRecord finished;
		CommitWatch watch;
		boolean won;
		leaveThread();
		if (transaction.isRollbackOnly()) {
			return withoutEffects(response,
					new UnexpectedRollbackException("The transaction was marked rollback-only by a participant "
							+ "whose exception the handler did not propagate"));
		}
		try {
			finished = this.duplicates.toRecord(this.request, response, this.hold.token());
			watch = new CommitWatch();
		}
		catch (RuntimeException | Error ex) {
			rollBack();
			throw ex;
		}
		try {
			// The database may have aborted the transaction of an error. That must be
			// known before the commit, when its response can still be stored. A record
			// that goes with the commit is sent by the last callback before it.
			won = (transaction.isNewTransaction() && !response.isError()) ? this.hold.finishWithCommit(finished)
					: this.hold.finish(finished);
		}
		catch (RuntimeException ex) {
			if (CommitFailure.isAborted(ex)) {
				return withoutEffects(response, ex);
			}
			rollBack();
			Optional<StoredResponse> other = responseAfterConflict(ex);
			if (other.isPresent()) {
				return endWith(other);
			}
			endHold();
			throw CommitFailure.isConnectionFailure(ex)
					? this.duplicates.unavailable(this.request, StorePhase.FINISH, ex) : repeatable(ex);
		}
		if (!won) {
			rollBack();
			return requireOtherResponse();
		}
		return commit(finished, watch, transaction);
	}

	/**
	 * Ends a transaction that cannot commit. A response that is an error claims no
	 * effects, and is kept: the handler has caught the exception of a service or of a
	 * statement and answers it. A success would be false.
	 */
	private Optional<StoredResponse> withoutEffects(StoredResponse response, RuntimeException reason) {
		rollBack();
		if (response.isError()) {
			return storeFailure(response);
		}
		endHold();
		throw reason;
	}

	/**
	 * Commits. If the commit fails or gets no reply, the state of the database decides
	 * which answer is valid. Callbacks before the commit take time, so the heartbeat goes
	 * on until its end.
	 */
	private Optional<StoredResponse> commit(FinishedRecord finished, CommitWatch watch, TransactionStatus transaction) {
		if (this.once) {
			this.state = State.ENDED;
		}
		try {
			watch.commit(this.duplicates.transactionManager(), transaction, this.request);
		}
		catch (RuntimeException | Error ex) {
			if (this.once) {
				this.hold.stopHeartbeat();
			}
			if (CommitFailure.isLate(ex)) {
				effectsReleased();
				return requireOtherResponse();
			}
			return watch.isNothingSent(ex) ? rolledBack(ex) : resolve(finished, ex);
		}
		return executed(finished);
	}

	private Optional<StoredResponse> rolledBack(Throwable failure) {
		Optional<StoredResponse> other = responseAfterConflict(failure);
		endHold();
		effectsReleased();
		if (other.isEmpty()) {
			throw repeatable(failure);
		}
		return endWith(other);
	}

	/**
	 * Asks the database for the outcome of a commit. An error of the server about the
	 * statement or the COMMIT says that the transaction is gone, if no record proves the
	 * contrary.
	 */
	private Optional<StoredResponse> resolve(FinishedRecord finished, Throwable failure) {
		boolean refused = CommitFailure.isRefused(failure);
		if (!refused) {
			LogEvent.COMMIT_IN_DOUBT.log(logger, "The outcome of a commit is not known, asking the database ["
					+ this.request.operation().name() + ", " + this.request.identity() + "]", failure);
		}
		BoundedBackoff backoff = new BoundedBackoff(LIMIT);
		do {
			ClaimResult result = this.duplicates.probe(this.request, StorePhase.RESOLVE);
			if (result instanceof StoredRecord found) {
				return ofRecord(found, finished);
			}
			if (refused || result instanceof ClaimResult.Acquired) {
				endHold();
				effectsReleased();
				throw repeatable(failure);
			}
			logger.debug("The commit is still being decided");
		}
		while (backoff.pause());
		throw this.duplicates.unavailable(this.request, StorePhase.RESOLVE, failure);
	}

	/**
	 * Decides with the record in the database whose response is durable.
	 */
	private Optional<StoredResponse> ofRecord(StoredRecord found, FinishedRecord finished) {
		return found.isWrittenAs(finished) ? executed(finished)
				: endWith(Optional.of(this.duplicates.replay(this.request, found)));
	}

	/**
	 * Returns the exception to throw. After a conflict the caller has to send the request
	 * again; the store itself works.
	 */
	private RuntimeException repeatable(Throwable failure) {
		return CommitFailure.isConflict(failure) ? this.duplicates.conflict(failure) : Rethrow.unchecked(failure);
	}

	/**
	 * Returns the response of another delivery that caused a conflict. At REPEATABLE READ
	 * and above, a transaction does not see a record that was committed after its start,
	 * and conflicts with it when it writes its own.
	 */
	private Optional<StoredResponse> responseAfterConflict(Throwable failure) {
		if (!CommitFailure.isConflict(failure)) {
			return Optional.empty();
		}
		try {
			return (this.duplicates.probe(this.request, StorePhase.RESOLVE) instanceof StoredRecord found)
					? Optional.of(this.duplicates.replay(this.request, found)) : Optional.empty();
		}
		catch (StoreUnavailableException ex) {
			failure.addSuppressed(ex);
			return Optional.empty();
		}
	}

	private Optional<StoredResponse> requireOtherResponse() {
		this.hold.stopHeartbeat();
		this.state = State.ENDED;
		return Optional.of(this.duplicates.requireOtherResponse(this.request));
	}

	private Optional<StoredResponse> endWith(Optional<StoredResponse> other) {
		this.state = State.ENDED;
		this.hold.stopHeartbeat();
		leaveThread();
		return other;
	}

	private Optional<StoredResponse> executed(FinishedRecord finished) {
		this.state = State.ENDED;
		this.hold.finished();
		this.duplicates.executed(this.request, finished);
		return Optional.empty();
	}

	/**
	 * Stores the response under the lease. A failure to do so is not a failure of the
	 * handler: the lease is left to expire, and the request does not run again before.
	 */
	private Optional<StoredResponse> storeUnderLease(StoredResponse response) {
		this.state = State.ENDED;
		leaveThread();
		try {
			FinishedRecord finished = this.duplicates.toRecord(this.request, response, this.hold.token());
			return write(finished) ? executed(finished) : superseded(finished);
		}
		finally {
			this.hold.stopHeartbeat();
		}
	}

	private boolean write(FinishedRecord finished) {
		BoundedBackoff backoff = new BoundedBackoff(LIMIT);
		while (true) {
			try {
				return this.hold.finish(finished);
			}
			catch (RuntimeException ex) {
				this.duplicates.notifications()
					.publish(new StoreFailed(this.request.operation().name(), StorePhase.FINISH));
				if (!backoff.pause()) {
					throw this.duplicates.unavailable(this.request, StorePhase.FINISH, ex);
				}
				LogEvent.ANSWER_NOT_STORED.log(logger,
						"The response could not be stored, trying again [" + this.request.operation().name() + "]", ex);
			}
		}
	}

	/**
	 * Handles a lost lease. Another owner has it, or an earlier attempt to store the
	 * response succeeded and its reply was lost.
	 */
	private Optional<StoredResponse> superseded(FinishedRecord finished) {
		if (this.duplicates.probe(this.request, StorePhase.RESOLVE) instanceof StoredRecord found) {
			return ofRecord(found, finished);
		}
		throw new LeaseLostException();
	}

	/**
	 * Rolls back the effects of a request that has failed, and keeps a lease, without its
	 * heartbeat, until the response to the failure is stored or there is none. Does
	 * nothing if the execution has ended.
	 */
	public void release() {
		if (this.state != State.CLAIMED) {
			return;
		}
		this.state = State.RELEASED;
		leaveThread();
		this.hold.stopHeartbeat();
		rollBackTransaction();
		effectsReleased();
	}

	/**
	 * Rolls back the transaction of the response. Phases keep their claim.
	 */
	private void rollBack() {
		if (this.once) {
			release();
		}
		else {
			rollBackTransaction();
		}
	}

	private void rollBackTransaction() {
		TransactionStatus open = this.transaction;
		this.transaction = null;
		if (open == null) {
			return;
		}
		try {
			this.duplicates.transactionManager().rollback(open);
		}
		catch (RuntimeException ex) {
			// The connection is closed then, and the database rolls back.
			LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.request.operation().name() + "]", ex);
		}
	}

	/**
	 * Ends the hold of a transaction that has ended without its effects. Phases keep
	 * theirs.
	 */
	private void endHold() {
		if (this.once) {
			this.state = State.ENDED;
			this.hold.end(Resumption.ANYBODY);
		}
	}

	private void effectsReleased() {
		if (this.once) {
			this.duplicates.notifications()
				.publish(new Released(this.request.operation().name(), this.request.elapsed()));
		}
	}

	/**
	 * Returns whether the effects are rolled back, and the request has not ended.
	 */
	public boolean isReleased() {
		return this.state == State.RELEASED;
	}

	/**
	 * Rolls back as {@link #release} does, and records the failure.
	 * @param failure the exception of the request
	 */
	public void failed(Throwable failure) {
		this.hold.failed(failure);
		this.observation.failed(failure);
		release();
	}

	/**
	 * Stores the response to a failure, after {@link #release}. Stores nothing unless the
	 * execution was released.
	 * @param response the response
	 * @return the response of another delivery that finished in the meantime, to be sent
	 * in place of the given one
	 */
	public Optional<StoredResponse> recordFailure(StoredResponse response) {
		if (!isReleased()) {
			this.observation.end();
			return Optional.empty();
		}
		this.observation.event(Event.STORING);
		Optional<StoredResponse> other;
		try (Scope scope = openScope()) {
			other = storeFailure(response);
		}
		catch (RuntimeException | Error ex) {
			this.observation.end(ex);
			throw ex;
		}
		this.observation.end(other.isPresent() ? Outcome.REPLAYED : Outcome.COMPLETED);
		return other;
	}

	private Optional<StoredResponse> storeFailure(StoredResponse response) {
		if (this.phases != null) {
			this.phases.requireAnswerable();
		}
		return (this.hold instanceof Hold.OfLock lock) ? storeAfterRollback(response, lock) : storeUnderLease(response);
	}

	private Optional<StoredResponse> storeAfterRollback(StoredResponse response, Hold.OfLock lock) {
		this.state = State.ENDED;
		FinishedRecord finished;
		boolean won;
		try {
			finished = this.duplicates.toRecord(this.request, response, lock.token());
			won = write(finished, lock);
		}
		catch (RuntimeException ex) {
			// A retry may run again, so that no final response may be sent.
			throw this.duplicates.unavailable(this.request, StorePhase.FINISH, ex);
		}
		return won ? executed(finished) : requireOtherResponse();
	}

	/**
	 * Stores the response to a failure in a new transaction. Another delivery may store
	 * one at the same time, which is a conflict at REPEATABLE READ and above. The next
	 * transaction sees that answer.
	 */
	private boolean write(FinishedRecord finished, Hold.OfLock lock) {
		TransactionTemplate transactions = new TransactionTemplate(this.duplicates.transactionManager());
		for (int conflicts = 0;; conflicts++) {
			try {
				return Boolean.TRUE.equals(transactions.execute((status) -> lock.finishAfterRollback(finished)));
			}
			catch (RuntimeException ex) {
				if (conflicts == CONFLICTS || !CommitFailure.isConflict(ex)) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Ends the request without a stored response: the next delivery may run. Does nothing
	 * unless the execution was released.
	 * @param resumption who resumes the request if some of it is done: the caller alone,
	 * if the caller was told a status with which a request ends
	 */
	public void endUnanswered(Resumption resumption) {
		if (isReleased()) {
			this.state = State.ENDED;
			boolean resumes = this.hold.end(resumption);
			if (!this.once) {
				String operation = this.request.operation().name();
				this.duplicates.notifications()
					.publish(resumes ? new Interrupted(operation, this.request.elapsed())
							: new Released(operation, this.request.elapsed()));
			}
		}
		this.observation.end();
	}

	/**
	 * Ends the request without a response to its caller.
	 */
	public void endUnanswered() {
		endUnanswered(Resumption.ANYBODY);
	}

}
