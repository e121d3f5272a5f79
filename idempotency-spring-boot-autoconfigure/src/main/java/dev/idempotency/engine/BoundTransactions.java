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

import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * The state of a thread towards Spring's transactions, whichever transaction manager they
 * belong to.
 *
 * @param active whether a transaction is open
 * @param synchronizing whether there are callbacks for the end of one
 * @param resources the keys of the resources that are bound
 */
record BoundTransactions(boolean active, boolean synchronizing, Set<Object> resources) {

	private static final Log logger = LogFactory.getLog(BoundTransactions.class);

	/**
	 * The state of the current thread. With an open session in view there is one resource
	 * already, otherwise none.
	 */
	static BoundTransactions ofThread() {
		Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
		return new BoundTransactions(TransactionSynchronizationManager.isActualTransactionActive(),
				TransactionSynchronizationManager.isSynchronizationActive(),
				resources.isEmpty() ? Set.of() : Set.copyOf(resources.keySet()));
	}

	/**
	 * Whether a transaction has been opened since.
	 */
	boolean isOpenedSince() {
		return (!this.active && TransactionSynchronizationManager.isActualTransactionActive())
				|| (!this.synchronizing && TransactionSynchronizationManager.isSynchronizationActive());
	}

	/**
	 * Bring the current thread back to this state. Whoever opened the transaction cannot
	 * be asked to end it: its callbacks are told that it is over, and its connections are
	 * aborted, so that the database rolls back and no pool hands them out again.
	 * @return whether there was anything to do
	 */
	boolean restore() {
		boolean opened = isOpenedSince();
		if (opened) {
			if (!this.synchronizing && TransactionSynchronizationManager.isSynchronizationActive()) {
				abortConnections();
				TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_UNKNOWN);
				TransactionSynchronizationManager.clear();
			}
			TransactionSynchronizationManager.setActualTransactionActive(this.active);
		}
		// What was bound since within a transaction that was open before ends with that.
		return (!this.synchronizing && abortConnections()) || opened;
	}

	private boolean abortConnections() {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		if (bound.size() <= this.resources.size()) {
			return false;
		}
		boolean found = false;
		for (Map.Entry<Object, Object> resource : Map.copyOf(bound).entrySet()) {
			if (resource.getValue() instanceof ResourceHolder && !this.resources.contains(resource.getKey())) {
				TransactionSynchronizationManager.unbindResourceIfPossible(resource.getKey());
				if (resource.getValue() instanceof ConnectionHolder connection) {
					abort(connection);
				}
				found = true;
			}
		}
		return found;
	}

	private static void abort(ConnectionHolder holder) {
		try {
			holder.getConnection().abort(Runnable::run);
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be aborted", ex);
		}
		finally {
			JdbcUtils.closeConnection(holder.getConnection());
		}
	}

}
