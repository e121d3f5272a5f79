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

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.database.SupportedDatabase;

/**
 * The connections of a data source, in the transactions that Spring keeps on it.
 */
final class DataSourceConnections implements StoreConnections {

	private static final Log logger = LogFactory.getLog(DataSourceConnections.class);

	private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

	private final DataSource dataSource;

	/**
	 * Commits by the connection of the data source, {@code null} if something else does.
	 */
	private final @Nullable DataSourceTransactionManager transactionManager;

	private final SingletonSupplier<SupportedDatabase> database = SingletonSupplier.of(this::findDatabase);

	DataSourceConnections(DataSource dataSource, PlatformTransactionManager transactionManager) {
		this.dataSource = dataSource;
		this.transactionManager = (transactionManager instanceof DataSourceTransactionManager own
				&& own.getDataSource() == dataSource) ? own : null;
	}

	@Override
	public SupportedDatabase database() {
		return this.database.obtain();
	}

	@Override
	public DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Detects the database on the connection of the transaction, if there is one: it may
	 * be the only connection of its pool.
	 */
	private SupportedDatabase findDatabase() {
		return inTransaction((connection) -> SupportedDatabase.of(connection.getMetaData()));
	}

	@Override
	public <T extends @Nullable Object> T inTransaction(Work<T> work) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return work.execute(connection);
		}
		catch (SQLException ex) {
			throw translate(ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	@Override
	public <T extends @Nullable Object> T separately(Work<T> work) {
		try (Connection connection = this.dataSource.getConnection()) {
			return work.execute(connection);
		}
		catch (SQLException ex) {
			throw translate(ex);
		}
	}

	static DataAccessException translate(SQLException failure) {
		DataAccessException translated = TRANSLATOR.translate("Idempotency record", null, failure);
		return (translated != null) ? translated : new UncategorizedSQLException("Idempotency record", null, failure);
	}

	@Override
	public boolean sendLast(LastStatement last) {
		if (this.transactionManager == null || !TransactionSynchronizationManager.isSynchronizationActive()) {
			return false;
		}
		TransactionSynchronizationManager
			.registerSynchronization(new LastSynchronization(this.transactionManager, this.dataSource, last));
		return true;
	}

	static void abort(ResourceHolder resource) {
		if (resource instanceof ConnectionHolder holder) {
			Connection connection = holder.getConnection();
			try {
				connection.abort(Runnable::run);
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("A connection could not be aborted", ex);
			}
			finally {
				JdbcUtils.closeConnection(connection);
			}
		}
	}

}
