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
package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

import dev.idempotency.store.jdbc.StoreConnections.LastStatement;
import dev.idempotency.store.jdbc.StoreConnections.Place;

/**
 * Sends the last statement of a transaction of Spring's JDBC transaction manager:
 * <ol>
 * <li>Spring calls it last of all synchronizations before the commit: it is registered
 * last, with the lowest precedence.</li>
 * <li>Listeners of the transaction manager are called after it, and then the callbacks
 * before completion. If the application has none of them at that moment, nothing can come
 * after the statement, and the COMMIT is sent with it; otherwise the transaction manager
 * sends the COMMIT.</li>
 * <li>A statement that fails ends the message: the server does not reach the COMMIT, and
 * Spring rolls back.</li>
 * <li>After a COMMIT the connection is read-only until the transaction manager has
 * finished. The commit that Spring asks for finds no open transaction, and the driver
 * sends nothing. A write that came between the two after all would be a second
 * transaction, and fails.</li>
 * </ol>
 */
final class LastSynchronization implements TransactionSynchronization {

	/**
	 * Synchronizations that release connections and sessions before completion, and the
	 * listeners of this library. They write nothing.
	 */
	private static final List<String> HARMLESS = List.of("org.springframework.jdbc.", "org.mybatis.spring.",
			"dev.idempotency.engine.", "dev.idempotency.autoconfigure.");

	private static final ClassValue<Boolean> BEFORE_COMPLETION = overriding(TransactionSynchronization.class,
			"beforeCompletion");

	private static final ClassValue<Boolean> BEFORE_COMMIT = overriding(TransactionExecutionListener.class,
			"beforeCommit", TransactionExecution.class);

	private final DataSourceTransactionManager transactionManager;

	private final DataSource dataSource;

	private final LastStatement last;

	private @Nullable Connection committed;

	LastSynchronization(DataSourceTransactionManager transactionManager, DataSource dataSource, LastStatement last) {
		this.transactionManager = transactionManager;
		this.dataSource = dataSource;
		this.last = last;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			if (isLast()) {
				this.last.send(connection, Place.WITH_COMMIT);
				connection.setReadOnly(true);
				this.committed = connection;
			}
			else {
				this.last.send(connection, Place.BEFORE_COMMIT);
			}
		}
		catch (SQLException ex) {
			throw DataSourceConnections.translate(ex);
		}
	}

	/**
	 * The connection is still bound: the transaction manager releases it afterwards.
	 */
	@Override
	public void afterCompletion(int status) {
		if (this.committed != null) {
			try {
				this.committed.setReadOnly(false);
			}
			catch (SQLException ex) {
				throw DataSourceConnections.translate(ex);
			}
		}
	}

	/**
	 * A transaction manager of the application could write in its own commit.
	 */
	private boolean isLast() {
		Class<?> type = this.transactionManager.getClass();
		return (type == JdbcTransactionManager.class || type == DataSourceTransactionManager.class)
				&& isNoneCalled(this.transactionManager.getTransactionExecutionListeners(), BEFORE_COMMIT)
				&& isNoneCalled(TransactionSynchronizationManager.getSynchronizations(), BEFORE_COMPLETION);
	}

	private static boolean isNoneCalled(Collection<?> callbacks, ClassValue<Boolean> overriding) {
		for (Object callback : callbacks) {
			if (overriding.get(callback.getClass())) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Determines of each class once whether it implements a default method.
	 */
	private static ClassValue<Boolean> overriding(Class<?> declaring, String method, Class<?>... parameters) {
		return new ClassValue<>() {

			@Override
			protected Boolean computeValue(Class<?> type) {
				var found = ReflectionUtils.findMethod(type, method, parameters);
				return (found == null || found.getDeclaringClass() != declaring)
						&& HARMLESS.stream().noneMatch(type.getName()::startsWith);
			}

		};
	}

}
