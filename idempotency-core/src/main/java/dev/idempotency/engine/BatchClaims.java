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
import dev.idempotency.engine.CallBatch.RefusedCallException;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.execution.CallDecisions;
import dev.idempotency.engine.execution.Claim;
import dev.idempotency.engine.execution.Patience;
import dev.idempotency.exception.IdempotencyException;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.store.Attempt;

/**
 * Claims several calls in one transaction, all of them or none.
 * <ol>
 * <li>The locks are tried in the order of the identities. If two batches share calls, the
 * one that locks the first shared call is not blocked by the other.</li>
 * <li>If a lock is held elsewhere, all are released with the transaction. The batch then
 * waits without a connection, and blocks no other batch.</li>
 * </ol>
 *
 * @param decisions decides about calls that may not run
 * @param engine executes calls whose lock is held within the current transaction
 * @param keys limits the keys of a transaction
 */
record BatchClaims(CallDecisions decisions, IdempotencyEngine engine, TransactionKeys keys) {

	CallBatch claim(List<Call> calls, Duration maxWait) {
		Patience patience = new Patience(maxWait);
		String operation = calls.get(0).operation().name();
		int[] order = IntStream.range(0, calls.size())
			.boxed()
			.sorted(Comparator.comparing((index) -> calls.get(index).identity()))
			.mapToInt(Integer::intValue)
			.toArray();
		while (true) {
			TransactionStatus transaction = this.engine.begin(calls.get(order[0]));
			@Nullable CallBatch claimed = null;
			int busy = -1;
			try {
				if (!transaction.isNewTransaction()) {
					throw new IllegalTransactionStateException("The messages of a batch for " + operation
							+ " would be executed in a transaction that began before, and the messages that succeed "
							+ "could not be committed without those that fail. Remove the transaction around the "
							+ "listener, which has its own.");
				}
				this.keys.add(operation, calls.size());
				Attempt[] attempts = new Attempt[order.length];
				busy = acquire(calls, order, attempts);
				if (busy < 0) {
					claimed = batch(calls, attempts, transaction);
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
			if (!patience.pause()) {
				throw new RefusedCallException(busy, this.decisions.inProgress(calls.get(busy)));
			}
		}
	}

	/**
	 * Tries all locks.
	 * @return the index of the first call that is running elsewhere, -1 if there is none
	 */
	private int acquire(List<Call> calls, int[] order, Attempt[] attempts) {
		for (int index : order) {
			Call call = calls.get(index);
			try {
				attempts[index] = this.decisions.store().acquire(call.identity());
			}
			catch (RuntimeException ex) {
				throw this.decisions.unavailable(call, StorePhase.CLAIM, ex);
			}
			if (!(attempts[index] instanceof Attempt.Acquired || attempts[index] instanceof Attempt.Found)) {
				return index;
			}
		}
		return -1;
	}

	private CallBatch batch(List<Call> calls, Attempt[] attempts, TransactionStatus transaction) {
		Claim[] claims = new Claim[attempts.length];
		for (int index = 0; index < attempts.length; index++) {
			if (attempts[index] instanceof Attempt.Found found) {
				claims[index] = replayed(calls.get(index), index, found);
			}
		}
		// No call is refused from here on.
		for (int index = 0; index < attempts.length; index++) {
			if (claims[index] == null) {
				claims[index] = this.engine.join(calls.get(index));
			}
		}
		return new CallBatch(this.decisions.transactionManager(), transaction, List.of(claims),
				new RequestInProgressException(this.decisions.retryAfter()));
	}

	private Claim replayed(Call call, int index, Attempt.Found found) {
		try {
			return this.decisions.replay(call, found.stored());
		}
		catch (IdempotencyException ex) {
			throw new RefusedCallException(index, ex);
		}
	}

}
