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
package dev.idempotency.store.jpa;

import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.TransactionCompletionCallbacks.BeforeCompletionCallback;
import org.hibernate.internal.EmptyInterceptor;
import org.hibernate.jdbc.Work;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends the record, or the fence of a lease, and the COMMIT of its transaction in one
 * message, once for each transaction:
 * <ol>
 * <li>Hibernate calls it back when the transaction manager commits, everything is
 * flushed, and the COMMIT is next.</li>
 * <li>If other callbacks are still to come, it queues behind them, since they may write.
 * </li>
 * <li>A statement that fails ends the message: the server does not reach the COMMIT.</li>
 * <li>The COMMIT that Hibernate asks for afterwards finds no open transaction, and the
 * driver sends nothing.</li>
 * </ol>
 */
final class RecordWithCommit implements BeforeCompletionCallback, TransactionSynchronization {

	/**
	 * Two callbacks that both insist on being last would never end.
	 */
	private static final int MAX_TURNS = 100;

	private final Work insertAndCommit;

	private int turns;

	private RecordWithCommit(Work insertAndCommit) {
		this.insertAndCommit = insertAndCommit;
	}

	/**
	 * Attaches a statement to the commit of the current transaction.
	 * @param session the session of the transaction
	 * @param insertAndCommit sends the message
	 * @return {@code false} if it cannot be attached: an interceptor of the application
	 * may write after all callbacks, and a transaction has one COMMIT
	 */
	static boolean register(SessionImplementor session, Work insertAndCommit) {
		if (session.getInterceptor() != EmptyInterceptor.INSTANCE
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.anyMatch(RecordWithCommit.class::isInstance)) {
			return false;
		}
		RecordWithCommit callback = new RecordWithCommit(insertAndCommit);
		TransactionSynchronizationManager.registerSynchronization(callback);
		session.getTransactionCompletionCallbacks().registerCallback(callback);
		return true;
	}

	@Override
	public void doBeforeTransactionCompletion(SharedSessionContractImplementor session) {
		boolean last = !session.getTransactionCompletionCallbacksImplementor().hasBeforeCompletionCallbacks();
		if (last || ++this.turns == MAX_TURNS) {
			((SessionImplementor) session).doWork(this.insertAndCommit);
		}
		else {
			session.getTransactionCompletionCallbacks().registerCallback(this);
		}
	}

}
