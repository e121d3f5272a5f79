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
package dev.idempotency.engine.execution;

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;

import dev.idempotency.IdempotencyNotification.Released;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.execution.Execution.Reply;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.engine.transaction.CommitWatch;
import dev.idempotency.exception.StoreUnavailableException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * The commit of a transaction that has written its answer. If the commit fails or gets no
 * reply, the state of the database decides which answer is valid.
 */
record AnswerCommit(CallDecisions decisions, NotificationPublisher notifications, Call call,
		TransactionStatus transaction, CallHold hold) {

	private static final Log logger = LogFactory.getLog(AnswerCommit.class);

	/**
	 * The time for which the database is asked for the outcome of a commit before the
	 * caller has to retry.
	 */
	private static final Duration RESOLUTION_LIMIT = Duration.ofSeconds(5);

	/**
	 * Commits.
	 * @param finished the record, already written or sent with the commit
	 * @param watch the watch of this transaction
	 * @return {@code null} if the record is durable, otherwise the answer of another
	 * delivery
	 * @throws RuntimeException if nothing is durable
	 */
	@Nullable Reply run(FinishedRecord finished, CommitWatch watch) {
		try {
			commit(watch);
			return null;
		}
		catch (RuntimeException | Error ex) {
			if (CommitFailure.isLate(ex)) {
				released();
				return this.decisions.requireTheirs(this.call);
			}
			return watch.isNothingSent(ex) ? rolledBack(ex) : resolve(finished, ex);
		}
	}

	/**
	 * Keeps the lease until the end: the answer of a leased call may be written by the
	 * commit, and callbacks before it take time.
	 */
	private void commit(CommitWatch watch) {
		try {
			watch.commit(this.decisions.transactionManager(), this.transaction, this.call.operation().name());
		}
		finally {
			this.hold.letGo();
		}
	}

	private Reply rolledBack(Throwable failure) {
		Reply theirs = theirsAfterConflict(failure);
		this.hold.end(Resumption.ANYBODY);
		released();
		if (theirs == null) {
			throw repeatable(failure);
		}
		return theirs;
	}

	/**
	 * Returns the exception to throw. After a conflict the caller has to send the request
	 * again; the store itself works.
	 */
	RuntimeException repeatable(Throwable failure) {
		return CommitFailure.isConflict(failure) ? this.decisions.conflict(failure) : Rethrow.unchecked(failure);
	}

	/**
	 * Returns the answer of another delivery that caused a conflict. At REPEATABLE READ
	 * and above, a transaction does not see a record that was committed after its start,
	 * and conflicts with it when it writes its own.
	 */
	@Nullable Reply theirsAfterConflict(Throwable failure) {
		if (!CommitFailure.isConflict(failure)) {
			return null;
		}
		Attempt attempt;
		try {
			attempt = this.decisions.probe(this.call, StorePhase.RESOLVE);
		}
		catch (StoreUnavailableException ex) {
			failure.addSuppressed(ex);
			return null;
		}
		return (attempt instanceof Attempt.Found found) ? this.decisions.replay(this.call, found.stored()) : null;
	}

	/**
	 * Asks the database for the outcome of a commit. An error of the server about the
	 * statement or the COMMIT says that the transaction is gone, if no record proves the
	 * contrary.
	 */
	private @Nullable Reply resolve(FinishedRecord finished, Throwable failure) {
		boolean refused = CommitFailure.isRefused(failure);
		if (!refused) {
			LogEvent.COMMIT_IN_DOUBT.log(logger, "The outcome of a commit is not known, asking the database ["
					+ this.call.operation().name() + ", " + this.call.identity() + "]", failure);
		}
		Patience patience = new Patience(RESOLUTION_LIMIT);
		do {
			Attempt attempt = this.decisions.probe(this.call, StorePhase.RESOLVE);
			if (attempt instanceof Attempt.Found found) {
				return found.stored().isWrittenAs(finished) ? null : this.decisions.replay(this.call, found.stored());
			}
			if (refused || attempt instanceof Attempt.Acquired) {
				this.hold.end(Resumption.ANYBODY);
				released();
				throw repeatable(failure);
			}
			logger.debug("The commit is still being decided");
		}
		while (patience.pause());
		throw this.decisions.unavailable(this.call, StorePhase.RESOLVE, failure);
	}

	void released() {
		this.notifications.publish(new Released(this.call.operation().name(), this.call.elapsed()));
	}

}
