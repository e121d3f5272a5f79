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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.support.ResourceHolder;

import dev.idempotency.engine.RequestTransactions.ResourceDisposer;

/**
 * Aborts the connection of a transaction that was left on a thread. The database rolls
 * the transaction back, and no pool hands the connection out again.
 */
public final class AbandonedConnections implements ResourceDisposer {

	private static final Log logger = LogFactory.getLog(AbandonedConnections.class);

	@Override
	public void dispose(ResourceHolder resource) {
		if (resource instanceof ConnectionHolder connectionHolder) {
			abort(connectionHolder.getConnection());
		}
	}

	private static void abort(Connection connection) {
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
