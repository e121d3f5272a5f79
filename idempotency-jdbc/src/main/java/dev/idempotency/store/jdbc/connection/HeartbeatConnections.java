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
package dev.idempotency.store.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * A dedicated connection for heartbeats outside of the application's pool, so that
 * requests that use the pool up do not keep the heartbeat from extending their own
 * leases. It is made like those of the pool, with the same settings, when the first
 * heartbeat needs it, and closed when none has needed it for a while.
 * <p>
 * A second pool of one connection is asked of HikariCP, which Spring Boot takes unless it
 * is configured otherwise and which copies its settings. What another pool does to a
 * connection is not known, so that none is made beside it; nor is one taken out of the
 * pool and kept, which would be the last one of a small pool.
 */
public final class HeartbeatConnections implements AutoCloseable {

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			HeartbeatConnections.class.getClassLoader());

	private final AutoCloseable pool;

	private final DataSource dataSource;

	private <T extends DataSource & AutoCloseable> HeartbeatConnections(T pool) {
		this.pool = pool;
		this.dataSource = pool;
	}

	/**
	 * Prepares a connection beside those of a data source.
	 * @param dataSource the application's data source, {@code null} if it is not known
	 * @return {@code null} if the application's own connections have to do
	 */
	public static @Nullable HeartbeatConnections beside(@Nullable DataSource dataSource) {
		return (HIKARI && dataSource != null) ? Hikari.beside(dataSource) : null;
	}

	public Connection open() throws SQLException {
		return this.dataSource.getConnection();
	}

	@Override
	public void close() throws Exception {
		this.pool.close();
	}

	/**
	 * Separate class, not loaded without HikariCP.
	 */
	private static final class Hikari {

		private static final int IDLE_MILLIS = 60_000;

		public static @Nullable HeartbeatConnections beside(DataSource dataSource) {
			try {
				return dataSource.isWrapperFor(HikariDataSource.class)
						? new HeartbeatConnections(copy(dataSource.unwrap(HikariDataSource.class))) : null;
			}
			catch (SQLException ex) {
				return null;
			}
		}

		/**
		 * Copies the settings. The copy connects on demand.
		 */
		private static HikariDataSource copy(HikariDataSource original) {
			HikariDataSource copy = new HikariDataSource();
			original.copyStateTo(copy);
			copy.setPoolName("idempotency-heartbeat");
			copy.setRegisterMbeans(false);
			copy.setMetricsTrackerFactory(null);
			copy.setHealthCheckRegistry(null);
			copy.setMinimumIdle(0);
			copy.setMaximumPoolSize(1);
			copy.setIdleTimeout(IDLE_MILLIS);
			copy.setInitializationFailTimeout(-1);
			return copy;
		}

	}

}
