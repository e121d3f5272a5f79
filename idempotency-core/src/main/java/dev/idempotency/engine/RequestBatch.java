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

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Execution;
import dev.idempotency.engine.transaction.TransactionLeakDetector;
import dev.idempotency.exception.RequestInProgressException;

/**
 * Calls that were claimed together. Those that may run share one transaction, which is
 * open on the claiming thread and also stores their answers.
 */
public final class RequestBatch {

	private final PlatformTransactionManager transactionManager;

	private final TransactionStatus transaction;

	private final List<Claim> claims;

	private final RequestInProgressException lost;

	private boolean open = true;

	RequestBatch(PlatformTransactionManager transactionManager, TransactionStatus transaction, List<Claim> claims,
			RequestInProgressException lost) {
		this.transactionManager = transactionManager;
		this.transaction = transaction;
		this.claims = List.copyOf(claims);
		this.lost = lost;
	}

	/**
	 * Returns whether a request may run.
	 * @param index the index of the request in the batch
	 * @return {@code false} if it was executed before
	 */
	public boolean isExecution(int index) {
		return this.claims.get(index) instanceof Execution;
	}

	/**
	 * Runs the work of the requests, stores an answer for each, and commits. Any failure
	 * rolls everything back.
	 * @param leaks the detector of the current thread, which this method ends
	 * @param work the work
	 * @param answer the answer of each request
	 * @return the return value of the work
	 * @throws Throwable the exception of the work; a {@code RuntimeException} if its
	 * effects are rolled back, or their outcome is unknown
	 */
	public @Nullable Object run(TransactionLeakDetector leaks, Work work, StoredResponse answer) throws Throwable {
		try {
			Object value;
			try {
				value = work.run();
				leaks.requireEnded(null);
			}
			finally {
				// The innermost first: its end resumes the transaction that it had
				// suspended.
				leaks.end();
			}
			finish(answer);
			return value;
		}
		catch (Throwable ex) {
			release();
			throw ex;
		}
	}

	private void finish(StoredResponse answer) {
		// The thread leaves the requests in reverse order.
		for (int i = this.claims.size() - 1; i >= 0; i--) {
			if (this.claims.get(i) instanceof Execution execution
					&& execution.finish(answer) instanceof Claim.Replayed) {
				throw this.lost;
			}
		}
		this.open = false;
		this.transactionManager.commit(this.transaction);
	}

	/**
	 * Rolls back. Does nothing if the transaction has ended.
	 */
	public void release() {
		if (!this.open) {
			return;
		}
		this.open = false;
		for (int i = this.claims.size() - 1; i >= 0; i--) {
			if (this.claims.get(i) instanceof Execution execution) {
				execution.release();
				execution.endUnanswered();
			}
		}
		this.transactionManager.rollback(this.transaction);
	}

	/**
	 * The work of a batch.
	 */
	@FunctionalInterface
	public interface Work {

		/**
		 * Does the work of all requests that may run.
		 * @return its return value
		 * @throws Throwable if it fails
		 */
		@Nullable Object run() throws Throwable;

	}

	/**
	 * Signals that a request of a batch is refused, and the whole batch with it.
	 */
	public static final class RefusedRequestException extends RuntimeException {

		private final int index;

		private final RuntimeException reason;

		public RefusedRequestException(int index, RuntimeException reason) {
			super(reason.getMessage(), reason);
			this.index = index;
			this.reason = reason;
		}

		/**
		 * Returns the index of the refused request.
		 * @return its index in the batch
		 */
		public int index() {
			return this.index;
		}

		/**
		 * Returns the reason of the refusal.
		 * @return the exception with which the request alone would have been refused
		 */
		public RuntimeException reason() {
			return this.reason;
		}

	}

}
