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
import org.springframework.transaction.TransactionStatus;

import dev.idempotency.IdempotencyNotification.StorePhase;
import dev.idempotency.engine.RequestBatch.RefusedRequestException;
import dev.idempotency.engine.execution.BoundedBackoff;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.ClaimRequest;
import dev.idempotency.engine.execution.DuplicateHandler;
import dev.idempotency.engine.operation.EngineSettings;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.store.ClaimResult;

/**
 * Claims several requests in one transaction, all of them or none.
 * <ol>
 * <li>The locks are tried in the order of the identities. If two batches share requests,
 * the one that locks the first shared request is not blocked by the other.</li>
 * <li>If a lock is held elsewhere, all are released with the transaction. The batch then
 * waits without a connection, and blocks no other batch.</li>
 * </ol>
 *
 * @param duplicates decides about requests that may not run
 * @param engine executes requests whose lock is held within the current transaction
 * @param keys limits the keys of a transaction
 */
record BatchClaims(DuplicateHandler duplicates, IdempotencyEngine engine, TransactionKeys keys) {

	RequestBatch claim(List<ClaimRequest> requests, Duration maxWait) {
		BoundedBackoff backoff = new BoundedBackoff(maxWait);
		String operation = requests.get(0).operation().name();
		int[] order = IntStream.range(0, requests.size())
			.boxed()
			.sorted(Comparator.comparing((index) -> requests.get(index).identity()))
			.mapToInt(Integer::intValue)
			.toArray();
		while (true) {
			TransactionStatus transaction = this.engine.begin(requests.get(order[0]));
			@Nullable RequestBatch claimed = null;
			int busy = -1;
			try {
				if (!transaction.isNewTransaction()) {
					throw new IllegalTransactionStateException("The messages of a batch for " + operation
							+ " would be executed in a transaction that began before, and the messages that succeed "
							+ "could not be committed without those that fail. Remove the transaction around the "
							+ "listener, which has its own.");
				}
				this.keys.add(operation, requests.size());
				ClaimResult[] attempts = new ClaimResult[order.length];
				busy = acquire(requests, order, attempts);
				if (busy < 0) {
					claimed = batch(requests, attempts, transaction);
				}
			}
			finally {
				if (claimed == null) {
					this.engine.end(transaction);
				}
			}
			if (claimed != null) {
				return claimed;
			}
			if (!backoff.pause()) {
				throw new RefusedRequestException(busy, this.duplicates.inProgress(requests.get(busy)));
			}
		}
	}

	/**
	 * Tries all locks.
	 * @return the index of the first request that is running elsewhere, -1 if there is
	 * none
	 */
	private int acquire(List<ClaimRequest> requests, int[] order, ClaimResult[] attempts) {
		for (int index : order) {
			ClaimRequest request = requests.get(index);
			try {
				attempts[index] = this.duplicates.store().acquire(request.identity());
			}
			catch (RuntimeException ex) {
				throw this.duplicates.unavailable(request, StorePhase.CLAIM, ex);
			}
			if (!(attempts[index] instanceof ClaimResult.Acquired || attempts[index] instanceof ClaimResult.Found)) {
				return index;
			}
		}
		return -1;
	}

	private RequestBatch batch(List<ClaimRequest> requests, ClaimResult[] attempts, TransactionStatus transaction) {
		Claim[] claims = new Claim[attempts.length];
		for (int index = 0; index < attempts.length; index++) {
			if (attempts[index] instanceof ClaimResult.Found found) {
				claims[index] = replayed(requests.get(index), index, found);
			}
		}
		// No request is refused from here on.
		for (int index = 0; index < attempts.length; index++) {
			if (claims[index] == null) {
				claims[index] = this.engine.join(requests.get(index));
			}
		}
		return new RequestBatch(this.duplicates.transactionManager(), transaction, List.of(claims),
				new RequestInProgressException(EngineSettings.RETRY_AFTER));
	}

	private Claim replayed(ClaimRequest request, int index, ClaimResult.Found found) {
		try {
			return this.duplicates.replay(request, found.stored());
		}
		catch (IdempotencyException ex) {
			throw new RefusedRequestException(index, ex);
		}
	}

}
