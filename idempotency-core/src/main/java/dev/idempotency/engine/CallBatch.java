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
import java.util.function.IntPredicate;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.exception.RequestInProgressException;

/**
 * Calls that were claimed together: those of them that may run do so in one transaction,
 * which is open on the thread that claimed them and also stores their answers.
 */
public final class CallBatch {

	private final PlatformTransactionManager transactionManager;

	private final TransactionStatus transaction;

	private final List<Claim> claims;

	private final RequestInProgressException lost;

	private boolean open = true;

	CallBatch(PlatformTransactionManager transactionManager, TransactionStatus transaction, List<Claim> claims,
			RequestInProgressException lost) {
		this.transactionManager = transactionManager;
		this.transaction = transaction;
		this.claims = List.copyOf(claims);
		this.lost = lost;
	}

	/**
	 * Whether a call may run.
	 * @param index the place of the call among those that were claimed
	 * @return {@code false} if it was executed before
	 */
	public boolean isExecution(int index) {
		return this.claims.get(index) instanceof Execution;
	}

	/**
	 * Whether the transaction is open.
	 * @return {@code false} after {@link #finish} and {@link #release}
	 */
	public boolean isOpen() {
		return this.open;
	}

	/**
	 * Store one answer for each call that ran, and commit.
	 * @param answer the answer
	 * @param except whether a call is not to be remembered, by its place
	 * @throws RuntimeException if all of it is rolled back, or what became of it is not
	 * known
	 */
	public void finish(Answer answer, IntPredicate except) {
		try {
			// The last that the thread entered is the first that it leaves.
			for (int i = this.claims.size() - 1; i >= 0; i--) {
				if (!(this.claims.get(i) instanceof Execution execution)) {
					continue;
				}
				if (except.test(i)) {
					execution.leaveThread();
				}
				else if (execution.finish(answer) instanceof Claim.Replayed) {
					throw this.lost;
				}
			}
		}
		catch (RuntimeException | Error ex) {
			release();
			throw ex;
		}
		this.open = false;
		this.transactionManager.commit(this.transaction);
	}

	/**
	 * Roll back. Does nothing when the transaction has ended.
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

}
