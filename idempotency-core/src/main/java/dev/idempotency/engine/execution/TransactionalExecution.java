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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification.Executed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.transaction.CommitFailure;
import dev.idempotency.engine.transaction.CommitWatch;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.observation.RequestObservation;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.LeaseStore.Interruption.Resumption;

/**
 * Runs a call within the transaction that also stores its answer: one commit makes
 * effects and answer durable, or neither.
 */
final class TransactionalExecution extends Execution {

	private static final Log logger = LogFactory.getLog(TransactionalExecution.class);

	/**
	 * Maximum number of retries after conflicts when the answer to a failure is stored.
	 */
	private static final int CONFLICTS = 5;

	private enum State {

		OPEN, RELEASED, ENDED

	}

	private final CallDecisions decisions;

	private final NotificationPublisher notifications;

	private final Call call;

	private final TransactionStatus transaction;

	private final AnswerCommit commit;

	private final CallHold hold;

	private State state = State.OPEN;

	TransactionalExecution(CallDecisions decisions, NotificationPublisher notifications, Call call,
			TransactionStatus transaction, CallHold hold, RequestObservation observation) {
		super(observation);
		this.decisions = decisions;
		this.notifications = notifications;
		this.call = call;
		this.transaction = transaction;
		this.commit = new AnswerCommit(decisions, notifications, call, transaction, hold);
		this.hold = hold;
	}

	@Override
	public void enterThread() {
		this.hold.enterThread();
	}

	@Override
	public void leaveThread() {
		this.hold.leaveThread();
	}

	@Override
	public @Nullable TransactionStatus transaction() {
		return (this.state == State.OPEN) ? this.transaction : null;
	}

	@Override
	protected Reply store(Answer answer) {
		FinishedRecord finished;
		CommitWatch watch;
		boolean won;
		leaveThread();
		if (this.transaction.isRollbackOnly()) {
			return withoutEffects(answer,
					new UnexpectedRollbackException("The transaction was marked rollback-only by a participant "
							+ "whose exception the handler did not propagate"));
		}
		try {
			// A failure to flush is a failure of the handler, not of the commit.
			this.transaction.flush();
			finished = this.decisions.toRecord(this.call, answer, this.hold.token());
			watch = CommitWatch.register();
		}
		catch (RuntimeException | Error ex) {
			release();
			if (answer.isError() && CommitFailure.isAborted(ex)) {
				return storeFailure(answer);
			}
			throw ex;
		}
		try {
			// The database may have aborted the transaction of an error. That must be
			// known before the commit, when its answer can still be stored.
			won = (this.transaction.isNewTransaction() && !answer.isError()) ? this.hold.finishWithCommit(finished)
					: this.hold.finish(finished);
		}
		catch (RuntimeException ex) {
			if (CommitFailure.isAborted(ex)) {
				return withoutEffects(answer, ex);
			}
			release();
			Reply theirs = this.commit.theirsAfterConflict(ex);
			if (theirs != null) {
				this.state = State.ENDED;
				return theirs;
			}
			end(Resumption.ANYBODY);
			throw CommitFailure.isConnectionFailure(ex) ? this.decisions.unavailable(this.call, StorePhase.FINISH, ex)
					: this.commit.repeatable(ex);
		}
		if (!won) {
			release();
			this.state = State.ENDED;
			return this.decisions.requireTheirs(this.call);
		}
		this.state = State.ENDED;
		Reply theirs = this.commit.run(finished, watch);
		return (theirs != null) ? theirs : executed(answer, finished);
	}

	/**
	 * Ends a transaction that cannot commit. An answer that is an error claims no
	 * effects, and is kept: the handler has caught the exception of a service or of a
	 * statement and answers it. A success would be false.
	 */
	private Reply withoutEffects(Answer answer, RuntimeException reason) {
		release();
		if (answer.isError()) {
			return storeFailure(answer);
		}
		end(Resumption.ANYBODY);
		throw reason;
	}

	@Override
	public void release() {
		if (this.state != State.OPEN) {
			return;
		}
		this.state = State.RELEASED;
		leaveThread();
		this.hold.letGo();
		try {
			this.decisions.transactionManager().rollback(this.transaction);
		}
		catch (RuntimeException ex) {
			// The connection is closed then, and the database rolls back.
			LogEvent.ROLLBACK_FAILED.log(logger, "Rollback failed [" + this.call.operation().name() + "]", ex);
		}
		this.commit.released();
	}

	@Override
	public boolean isReleased() {
		return this.state == State.RELEASED;
	}

	@Override
	protected Reply storeFailure(Answer answer) {
		this.state = State.ENDED;
		FinishedRecord finished;
		boolean won;
		try {
			finished = this.decisions.toRecord(this.call, answer, this.hold.token());
			won = write(finished);
		}
		catch (RuntimeException ex) {
			// A retry may run again, so that no final answer may be sent.
			this.hold.end(Resumption.ANYBODY);
			throw this.decisions.unavailable(this.call, StorePhase.FINISH, ex);
		}
		if (!won) {
			return this.decisions.requireTheirs(this.call);
		}
		return executed(answer, finished);
	}

	/**
	 * Stores the answer to a failure. Another delivery may store one at the same time,
	 * which is a conflict at REPEATABLE READ and above. The next transaction sees that
	 * answer.
	 */
	private boolean write(FinishedRecord finished) {
		TransactionTemplate transactions = new TransactionTemplate(this.decisions.transactionManager());
		for (int conflicts = 0;; conflicts++) {
			try {
				return Boolean.TRUE.equals(transactions.execute((status) -> this.hold.finishAfterRollback(finished)));
			}
			catch (RuntimeException ex) {
				if (conflicts == CONFLICTS || !CommitFailure.isConflict(ex)) {
					throw ex;
				}
			}
		}
	}

	@Override
	protected void end(Resumption resumption) {
		this.state = State.ENDED;
		this.hold.end(resumption);
	}

	private Reply executed(Answer answer, FinishedRecord finished) {
		this.hold.finished();
		this.decisions.remembered().keep(this.call, finished);
		this.notifications.publish(new Executed(this.call.operation().name(), this.call.elapsed()));
		return new Reply.Own(answer);
	}

}
