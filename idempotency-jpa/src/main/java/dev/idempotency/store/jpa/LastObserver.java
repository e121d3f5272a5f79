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
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.store.jdbc.StoreConnections.LastStatement;
import dev.idempotency.store.jdbc.StoreConnections.Place;

/**
 * Sends the last statement of a transaction and its COMMIT in one message, once for each
 * transaction:
 * <ol>
 * <li>Hibernate calls the observers of a transaction when everything else is done: the
 * callbacks of Spring, the flush, the callbacks and synchronizations of the session, and
 * its interceptor. The COMMIT is next.</li>
 * <li>A statement that fails ends the message: the server does not reach the COMMIT, and
 * Hibernate rolls back.</li>
 * <li>The COMMIT that Hibernate asks for afterwards finds no open transaction, and the
 * driver sends nothing.</li>
 * </ol>
 */
final class LastObserver implements TransactionObserver {

	private final SessionImplementor session;

	private final LastStatement last;

	private LastObserver(SessionImplementor session, LastStatement last) {
		this.session = session;
		this.last = last;
	}

	/**
	 * Attaches a statement to the commit of the current transaction.
	 * @param session the session of the transaction
	 * @param last the statement
	 * @return {@code false} if it cannot be attached: a transaction has one COMMIT, which
	 * Hibernate sends
	 */
	static boolean register(SessionImplementor session, LastStatement last) {
		TransactionCoordinator coordinator = session.getTransactionCoordinator();
		if (coordinator.getTransactionCoordinatorBuilder().isJta()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.anyMatch(Attached.class::isInstance)) {
			return false;
		}
		LastObserver observer = new LastObserver(session, last);
		TransactionSynchronizationManager.registerSynchronization(new Attached());
		coordinator.addObserver(observer);
		return true;
	}

	@Override
	public void afterBegin() {
	}

	@Override
	public void beforeCompletion() {
		this.session.doWork((connection) -> this.last.send(connection, Place.WITH_COMMIT));
	}

	@Override
	public void afterCompletion(boolean successful, boolean delayed) {
		this.session.getTransactionCoordinator().removeObserver(this);
	}

	/**
	 * Marks the transaction, which has one last statement.
	 */
	private record Attached() implements TransactionSynchronization {
	}

}
