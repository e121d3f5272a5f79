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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore.Resumption;

/**
 * The lock or lease under which this node executes a request.
 */
sealed interface Hold {

	/**
	 * Makes the current thread work for the request.
	 */
	default void enterThread() {
	}

	/**
	 * Ends the work of the current thread for the request.
	 */
	default void leaveThread() {
	}

	/**
	 * Returns the phases of the request, {@code null} if it does not run in phases.
	 */
	default @Nullable PhasedWork phases() {
		return null;
	}

	/**
	 * Returns the token that identifies the record of this execution.
	 */
	long token();

	/**
	 * Writes the record, in the current transaction if there is one.
	 * @return {@code false} if another owner has the request or has finished it
	 */
	boolean finish(FinishedRecord finished);

	/**
	 * Writes the record as {@link #finish} does, or leaves it to the commit that follows.
	 * @return {@code false} if another owner has the request or has finished it
	 */
	default boolean finishWithCommit(FinishedRecord finished) {
		return finish(finished);
	}

	/**
	 * Notes that the record is durable. The commit has released a lock by then.
	 */
	default void finished() {
	}

	/**
	 * Notes the reason for which the hold will end without a response.
	 */
	default void failed(Throwable failure) {
	}

	/**
	 * Stops the heartbeat: the run is over, and needs no more time.
	 */
	default void stopHeartbeat() {
	}

	/**
	 * Ends the hold without a response: the next delivery may run.
	 * @param resumption who resumes the request if some of it is done
	 * @return whether the next delivery resumes after the completed steps instead of
	 * starting again
	 */
	boolean end(Resumption resumption);

	/**
	 * The lock of a transaction, which ends with it.
	 *
	 * @param store the store
	 * @param open the open transaction as other code on the thread sees it
	 * @param token the token of the execution
	 */
	record OfLock(IdempotencyStore store, OpenTransaction open, long token) implements Hold {

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

		/**
		 * Writes the record of a failure in a new transaction, after the claim's
		 * transaction was rolled back.
		 * @return {@code false} if another delivery has finished the request
		 */
		boolean finishAfterRollback(FinishedRecord finished) {
			return this.store.finishAfterRollback(finished);
		}

		@Override
		public boolean finishWithCommit(FinishedRecord finished) {
			return this.store.finishWithCommit(finished);
		}

		@Override
		public boolean end(Resumption resumption) {
			// The rollback has released the lock.
			return false;
		}

	}

	/**
	 * A lease, with its heartbeat.
	 *
	 * @param keeper the heartbeat
	 * @param transactions the transactions of the run
	 * @param notifications publishes failures to end the lease
	 * @param run the run under the lease
	 */
	record OfLease(LeaseKeeper keeper, RequestTransactions transactions, NotificationPublisher notifications,
			FencedRun run) implements Hold {

		private static final Log logger = LogFactory.getLog(Hold.class);

		@Override
		public @Nullable PhasedWork phases() {
			return this.run.work();
		}

		@Override
		public void enterThread() {
			this.transactions.enter(this.run);
		}

		@Override
		public void leaveThread() {
			this.transactions.leave(this.run);
		}

		@Override
		public long token() {
			return this.run.lease().fence();
		}

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.run.finish(finished);
		}

		/**
		 * The transaction of a last phase has locked the lease: others, which callbacks
		 * begin before its commit, would wait for it if they were fenced.
		 */
		@Override
		public boolean finishWithCommit(FinishedRecord finished) {
			if (!this.run.finishAtCommit(finished)) {
				return finish(finished);
			}
			if (phases() == null) {
				this.transactions.enterUntilCommitted(this.run);
			}
			return true;
		}

		@Override
		public void failed(Throwable failure) {
			this.run.failed(failure);
		}

		@Override
		public void finished() {
			this.run.finished();
			stopHeartbeat();
		}

		@Override
		public void stopHeartbeat() {
			this.keeper.stopHeartbeat(this.run.lease());
		}

		@Override
		public boolean end(Resumption resumption) {
			stopHeartbeat();
			try {
				this.run.release(resumption);
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
