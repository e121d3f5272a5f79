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

import jakarta.persistence.EntityManagerFactory;
import org.hibernate.engine.spi.SessionImplementor;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Returns the connection of a session to the pool. A session that lives longer than its
 * transaction, as open-in-view makes it, would keep it until the response is sent: each
 * duplicate that waits or is refused would hold one, and so would each request under a
 * lease while it waits for a second connection to store its answer. The session takes
 * another connection when it needs one.
 */
final class ConnectionReturn implements TransactionSynchronization {

	private final SessionImplementor session;

	private ConnectionReturn(SessionImplementor session) {
		this.session = session;
	}

	static void atEndOfTransaction(SessionImplementor session) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new ConnectionReturn(session));
		}
	}

	/**
	 * Returns the connection that the thread's session keeps outside a transaction,
	 * before the thread takes another one. A session with an open cursor keeps it.
	 */
	static void beforeAnother(EntityManagerFactory entityManagerFactory) {
		if (!TransactionSynchronizationManager.isActualTransactionActive() && TransactionSynchronizationManager
			.getResource(entityManagerFactory) instanceof EntityManagerHolder holder) {
			SessionImplementor session = holder.getEntityManager().unwrap(SessionImplementor.class);
			if (session.isOpen() && !session.getJdbcCoordinator()
				.getLogicalConnection()
				.getResourceRegistry()
				.hasRegisteredResources()) {
				disconnect(session);
			}
		}
	}

	private static void disconnect(SessionImplementor session) {
		var connection = session.getJdbcCoordinator().getLogicalConnection();
		if (connection.isOpen() && connection.isPhysicallyConnected()) {
			connection.manualDisconnect();
		}
	}

	@Override
	public void afterCompletion(int status) {
		disconnect(this.session);
	}

}
