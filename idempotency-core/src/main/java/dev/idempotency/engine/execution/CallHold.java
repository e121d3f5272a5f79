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

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.lease.FencedRun;
import dev.idempotency.engine.lease.LeaseFence;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.engine.transaction.OpenTransaction;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;

/**
 * The lock or lease that keeps others from executing a call while this node does.
 */
public sealed interface CallHold {

	/**
	 * The current thread works for the call.
	 */
	default void enterThread() {
	}

	/**
	 * The current thread does not work for the call any more.
	 */
	default void leaveThread() {
	}

	/**
	 * The token that distinguishes the record of this execution from all others.
	 */
	long token();

	/**
	 * Writes the record, in the current transaction if there is one.
	 * @return {@code false} if somebody else owns or has finished the call
	 */
	boolean finish(FinishedRecord finished);

	/**
	 * As {@link #finish}, or together with the commit that comes next.
	 * @return {@code false} if somebody else owns or has finished the call
	 */
	default boolean finishWithCommit(FinishedRecord finished) {
		return finish(finished);
	}

	/**
	 * The record is durable. A lock has gone with the commit then.
	 */
	default void finished() {
	}

	/**
	 * The run is over, one way or the other: it needs no more time, and no heartbeat.
	 */
	default void letGo() {
	}

	/**
	 * The run is over without an answer: the next delivery may run.
	 * @return whether that one resumes after the completed steps, instead of starting
	 * again
	 */
	boolean end();

	/**
	 * The lock of a transaction, which ends with it.
	 *
	 * @param store the store
	 * @param open the state that others on its thread see
	 * @param token the token of the execution
	 */
	record OfTransaction(IdempotencyStore store, OpenTransaction open, long token) implements CallHold {

		public OfTransaction(IdempotencyStore store, OpenTransaction open) {
			this(store, open, FinishedRecord.newToken());
		}

		@Override
		public void enterThread() {
			this.open.enter();
		}

		@Override
		public void leaveThread() {
			this.open.leave();
		}

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.store.finish(finished);
		}

		@Override
		public boolean finishWithCommit(FinishedRecord finished) {
			return this.store.finishWithCommit(finished);
		}

		@Override
		public boolean end() {
			// The rollback has released the lock.
			return false;
		}

	}

	/**
	 * A lease whose owner ends it, used for the transaction of its last phase. That holds
	 * the lease itself, so it is not fenced, and the heartbeat goes on until the owner
	 * ends it.
	 *
	 * @param run what the lease is held for
	 */
	record OfPhase(FencedRun run) implements CallHold {

		@Override
		public long token() {
			return this.run.lease().fence();
		}

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.run.finish(finished);
		}

		@Override
		public boolean finishWithCommit(FinishedRecord finished) {
			return this.run.finishAtCommit(finished) || finish(finished);
		}

		@Override
		public boolean end() {
			// Its owner decides.
			return true;
		}

	}

	/**
	 * A lease, with its heartbeat.
	 *
	 * @param keeper the heartbeat
	 * @param fence the guard of the run's transactions
	 * @param notifications publishes that the lease cannot be ended
	 * @param run what the lease is held for
	 */
	record OfLease(LeaseKeeper keeper, LeaseFence fence, NotificationPublisher notifications,
			FencedRun run) implements CallHold {

		private static final Log logger = LogFactory.getLog(CallHold.class);

		@Override
		public void enterThread() {
			this.fence.enter(this.run);
		}

		@Override
		public void leaveThread() {
			this.fence.leave(this.run);
		}

		@Override
		public long token() {
			return this.run.lease().fence();
		}

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.run.finish(finished);
		}

		@Override
		public boolean finishWithCommit(FinishedRecord finished) {
			if (!this.run.finishAtCommit(finished)) {
				return finish(finished);
			}
			this.fence.guardCommit(this.run);
			return true;
		}

		@Override
		public void finished() {
			this.run.finished();
			letGo();
		}

		@Override
		public void letGo() {
			this.keeper.letGo(this.run.lease());
		}

		@Override
		public boolean end() {
			letGo();
			try {
				this.run.release();
			}
			catch (RuntimeException ex) {
				String operation = this.run.operation();
				LogEvent.LEASE_NOT_ENDED.log(logger, "A lease could not be ended, it expires [" + operation + "]", ex);
				this.notifications.publish(new StoreFailed(operation, StorePhase.FINISH));
			}
			return this.run.keepsProgress();
		}

	}

}
