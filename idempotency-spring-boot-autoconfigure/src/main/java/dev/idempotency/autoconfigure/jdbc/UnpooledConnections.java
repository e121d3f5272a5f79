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

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Connections to the database of the application outside its pool: at the address that is
 * configured in Spring Boot, or that the pool has.
 */
final class UnpooledConnections {

	private static final boolean KNOWN_TO_BOOT = ClassUtils.isPresent("org.springframework.boot.jdbc.DataSourceBuilder",
			UnpooledConnections.class.getClassLoader());

	private UnpooledConnections() {
	}

	/**
	 * Finds the address of the database, for connections without a pool.
	 * @param pool the data source of the business rows, {@code null} if it is unknown
	 * @param beanFactory the beans of the application
	 * @return a data source without a pool, {@code null} if no address is known
	 */
	static @Nullable DataSource beside(@Nullable DataSource pool, BeanFactory beanFactory) {
		if (!KNOWN_TO_BOOT) {
			return null;
		}
		DataSource single = beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		if (pool == null || pool == single) {
			JdbcConnectionDetails details = beanFactory.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
			if (details != null) {
				return DataSourceBuilder.create()
					.type(SimpleDriverDataSource.class)
					.driverClassName(details.getDriverClassName())
					.url(details.getJdbcUrl())
					.username(details.getUsername())
					.password(details.getPassword())
					.build();
			}
		}
		try {
			return (pool != null) ? derivedFrom(pool) : null;
		}
		catch (RuntimeException ex) {
			// It has no single address, for instance because it routes.
			return null;
		}
	}

	/**
	 * Returns a data source for the first use of the tables in a running application. The
	 * caller may be in a transaction that holds the only connection of a small pool, or
	 * others that wait for the same beans may hold the remaining connections.
	 * @param pool the data source of the business rows
	 * @return a data source without a pool, or the given one if it does not expose its
	 * settings and no transaction is open
	 * @throws InvalidIdempotentException if it does not expose its settings in a
	 * transaction
	 */
	static DataSource forFirstUse(DataSource pool) {
		try {
			return derivedFrom(pool);
		}
		catch (RuntimeException ex) {
			if (!TransactionSynchronizationManager.isActualTransactionActive()) {
				return pool;
			}
			InvalidIdempotentException failure = new InvalidIdempotentException(
					"The tables of the idempotency records are first used in a transaction, where they cannot be "
							+ "created or checked, and " + pool.getClass().getName()
							+ " does not expose the settings for a separate connection.",
					"Inject IdempotencyOperations, or the other bean in use, directly instead of its ObjectProvider: "
							+ "the tables are then created and checked at start-up.");
			failure.initCause(ex);
			throw failure;
		}
	}

	private static DataSource derivedFrom(DataSource pool) {
		return DataSourceBuilder.derivedFrom(pool).type(SimpleDriverDataSource.class).build();
	}

}
