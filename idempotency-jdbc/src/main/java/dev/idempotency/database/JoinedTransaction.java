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
package dev.idempotency.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.engine.ClaimRequest;

/**
 * The caller's transaction, for changes that must be written in it or not at all.
 *
 * @param dataSource the data source of the business rows
 * @param over whether the transaction of the current thread has ended, and its callbacks
 * are being called
 * @param names the names of the tables in its database
 */
public record JoinedTransaction(DataSource dataSource, BooleanSupplier over, TableNames names) {

	/**
	 * Refuses an action that would commit immediately, while the transaction that it
	 * belongs to is undecided.
	 * @param refused the refused action, as the beginning of the message
	 * @throws IllegalTransactionStateException without a writable transaction of the
	 * business rows
	 */
	public void require(String refused) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw refusal(refused, "there is no transaction. Call it from a @Transactional method, an @Idempotent "
					+ "handler or an atomic phase: it then takes effect if and only if their rows are committed.");
		}
		if (this.over.getAsBoolean()) {
			throw refusal(refused,
					"the transaction has ended, and nothing would commit it. Call it before the commit, not "
							+ "in afterCommit or a @TransactionalEventListener, or in another one with REQUIRES_NEW.");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw refusal(refused, "the transaction is read-only. Remove readOnly = true.");
		}
		if (isAutoCommitted()) {
			throw refusal(refused, "the transaction belongs to another database or transaction manager. Call it in a "
					+ "transaction of the manager that idempotency.transaction-manager names.");
		}
	}

	private boolean isAutoCommitted() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new IllegalTransactionStateException("The connection of the transaction is broken", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	private static IllegalTransactionStateException refusal(String refused, String reason) {
		return new IllegalTransactionStateException(refused + ": " + reason);
	}

	/**
	 * Runs an action after the commit of the current transaction, or immediately without
	 * one.
	 * @param action the action
	 */
	public static void afterCommit(Runnable action) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			action.run();
			return;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

}
