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
package dev.idempotency.autoconfigure.jdbc;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Connections outside a pool, for the first use of the tables in a running application:
 * it may be in a transaction, which has the only connection of a small pool, or beside
 * others that wait for the same beans and hold the rest of it.
 */
final class BesideThePool {

	private BesideThePool() {
	}

	/**
	 * Returns a data source for separate connections.
	 * @param dataSource the data source of the business rows
	 * @return another one of the same database, or the same one if it does not expose its
	 * settings and no transaction is open
	 * @throws InvalidIdempotentException if it does not expose its settings in a
	 * transaction
	 */
	public static DataSource of(DataSource dataSource) {
		try {
			return DataSourceBuilder.derivedFrom(dataSource).type(SimpleDriverDataSource.class).build();
		}
		catch (RuntimeException ex) {
			if (!TransactionSynchronizationManager.isActualTransactionActive()) {
				return dataSource;
			}
			InvalidIdempotentException failure = new InvalidIdempotentException(
					"The tables of the idempotency records are first used in a transaction, where they cannot be "
							+ "created or checked, and " + dataSource.getClass().getName()
							+ " does not expose the settings for a separate connection.",
					"Inject IdempotencyOperations, or the other bean in use, directly instead of its ObjectProvider: "
							+ "the tables are then created and checked at start-up.");
			failure.initCause(ex);
			throw failure;
		}
	}

}
