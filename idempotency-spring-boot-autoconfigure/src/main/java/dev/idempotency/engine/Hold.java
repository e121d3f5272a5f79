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

import dev.idempotency.IdempotencyEvent.StoreFailed;
import dev.idempotency.IdempotencyEvent.StorePhase;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Lease;

/**
 * What keeps others from executing a call while this thread does.
 */
sealed interface Hold {

	/**
	 * Write the record, in the current transaction if there is one.
	 * @return {@code false} if somebody else owns or has finished the call
	 */
	boolean finish(FinishedRecord finished);

	/**
	 * The run is over, one way or the other: it needs no more time.
	 */
	void letGo();

	/**
	 * The run is over without an answer: the next delivery may run.
	 */
	void end();

	/**
	 * The lock of a transaction, which goes with it.
	 *
	 * @param store the store
	 */
	record OfTransaction(IdempotencyStore store) implements Hold {

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.store.finish(finished);
		}

		@Override
		public void letGo() {
		}

		@Override
		public void end() {
		}

	}

	/**
	 * A lease, with its heartbeat.
	 *
	 * @param store the store
	 * @param keeper the heartbeat
	 * @param events who is told when the lease cannot be ended
	 * @param operation the operation's name
	 * @param lease the lease
	 */
	record OfLease(IdempotencyStore store, LeaseKeeper keeper, EventPublisher events, String operation,
			Lease lease) implements Hold {

		private static final Log logger = LogFactory.getLog(Hold.class);

		@Override
		public boolean finish(FinishedRecord finished) {
			return this.store.finish(this.lease, finished);
		}

		@Override
		public void letGo() {
			this.keeper.letGo(this.lease);
		}

		@Override
		public void end() {
			letGo();
			try {
				this.store.release(this.lease);
			}
			catch (RuntimeException ex) {
				logger.warn("A lease could not be ended, it expires by itself [" + this.operation + "]", ex);
				this.events.publish(new StoreFailed(this.operation, StorePhase.FINISH));
			}
		}

	}

}
