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
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.RequestBatch.RefusedRequestException;
import dev.idempotency.engine.RequestTransactions.LeakDetector;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.StoredRecord;

/**
 * Requests that are claimed in one transaction, all of them or none. Those that may run
 * share the transaction, which is open on the claiming thread and also stores their
 * responses.
 * <ol>
 * <li>The locks are tried in the order of the identities. If two batches share requests,
 * the one that locks the first shared request is not blocked by the other.</li>
 * <li>If a lock is held elsewhere, all are released with the transaction. The batch then
 * waits without a connection, and blocks no other batch.</li>
 * </ol>
 */
public final class RequestBatch {

	private final PlatformTransactionManager transactionManager;

	private final TransactionStatus transaction;

	private final List<Claim> claims;

	private final RequestInProgressException lost;

	private boolean open = true;

	private RequestBatch(PlatformTransactionManager transactionManager, TransactionStatus transaction,
			List<Claim> claims, RequestInProgressException lost) {
		this.transactionManager = transactionManager;
		this.transaction = transaction;
		this.claims = List.copyOf(claims);
		this.lost = lost;
	}

	/**
	 * Claims requests.
	 * @see IdempotencyEngine#claimAll
	 */
	static RequestBatch claim(IdempotencyEngine engine, DuplicateHandler duplicates, TransactionKeys keys,
			List<ClaimRequest> requests, Duration maxWait) {
		BoundedBackoff backoff = new BoundedBackoff(maxWait);
		String operation = requests.get(0).operation().name();
		int[] order = IntStream.range(0, requests.size())
			.boxed()
			.sorted(Comparator.comparing((index) -> requests.get(index).identity()))
			.mapToInt(Integer::intValue)
			.toArray();
		while (true) {
			TransactionStatus transaction = engine.begin(requests.get(order[0]));
			@Nullable RequestBatch claimed = null;
			int busy = -1;
			try {
				if (!transaction.isNewTransaction()) {
					throw new IllegalTransactionStateException("The messages of a batch for " + operation
							+ " would be executed in a transaction that began before, and the messages that succeed "
							+ "could not be committed without those that fail. Remove the transaction around the "
							+ "listener, which has its own.");
				}
				keys.add(operation, requests.size());
				ClaimResult[] attempts = new ClaimResult[order.length];
				busy = acquire(duplicates, requests, order, attempts);
				if (busy < 0) {
					claimed = batch(engine, duplicates, requests, attempts, transaction);
				}
			}
			finally {
				if (claimed == null) {
					engine.end(transaction);
				}
			}
			if (claimed != null) {
				return claimed;
			}
			if (!backoff.pause()) {
				throw new RefusedRequestException(busy, duplicates.inProgress(requests.get(busy)));
			}
		}
	}

	/**
	 * Tries all locks.
	 * @return the index of the first request that is running elsewhere, -1 if there is
	 * none
	 */
	private static int acquire(DuplicateHandler duplicates, List<ClaimRequest> requests, int[] order,
			ClaimResult[] attempts) {
		for (int index : order) {
			ClaimRequest request = requests.get(index);
			try {
				attempts[index] = duplicates.store().acquire(request.identity());
			}
			catch (RuntimeException ex) {
				throw duplicates.unavailable(request, StorePhase.CLAIM, ex);
			}
			if (!(attempts[index] instanceof ClaimResult.Acquired || attempts[index] instanceof StoredRecord)) {
				return index;
			}
		}
		return -1;
	}

	private static RequestBatch batch(IdempotencyEngine engine, DuplicateHandler duplicates,
			List<ClaimRequest> requests, ClaimResult[] attempts, TransactionStatus transaction) {
		Claim[] claims = new Claim[attempts.length];
		for (int index = 0; index < attempts.length; index++) {
			if (attempts[index] instanceof StoredRecord found) {
				claims[index] = replayed(duplicates, requests.get(index), index, found);
			}
		}
		// No request is refused from here on.
		for (int index = 0; index < attempts.length; index++) {
			if (claims[index] == null) {
				claims[index] = engine.join(requests.get(index));
			}
		}
		return new RequestBatch(duplicates.transactionManager(), transaction, List.of(claims),
				new RequestInProgressException(EngineSettings.RETRY_AFTER));
	}

	private static Claim replayed(DuplicateHandler duplicates, ClaimRequest request, int index, StoredRecord found) {
		try {
			return new Claim.Replayed(duplicates.replay(request, found));
		}
		catch (IdempotencyException ex) {
			throw new RefusedRequestException(index, ex);
		}
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
	 * Runs the work of the requests, stores a response for each, and commits. Any failure
	 * rolls everything back.
	 * @param leaks the detector of the current thread, which this method ends
	 * @param work the work
	 * @param response the response of each request
	 * @return the return value of the work
	 * @throws Throwable the exception of the work; a {@code RuntimeException} if its
	 * effects are rolled back, or their outcome is unknown
	 */
	public @Nullable Object run(LeakDetector leaks, Work work, StoredResponse response) throws Throwable {
		try {
			Object value;
			try {
				value = work.run();
				leaks.requireEnded(null);
				if (!this.transaction.isRollbackOnly()) {
					// Refused changes are a failure of the work, not of the commit.
					this.transaction.flush();
				}
			}
			finally {
				// The innermost first: its end resumes the transaction that it had
				// suspended.
				leaks.end();
			}
			finish(response);
			return value;
		}
		catch (Throwable ex) {
			release();
			throw ex;
		}
	}

	private void finish(StoredResponse response) {
		// The thread leaves the requests in reverse order.
		for (int i = this.claims.size() - 1; i >= 0; i--) {
			if (this.claims.get(i) instanceof Execution execution && execution.finish(response).isPresent()) {
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
