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
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.util.ClassUtils;

import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.jdbc.Jdbc.Work;

/**
 * The heartbeats of leases, on a dedicated connection. It is outside the application's
 * pool, so that requests that exhaust the pool do not keep the heartbeat from extending
 * their own leases.
 * <ol>
 * <li>Beside HikariCP it is a second pool of one connection, with the settings of the
 * first. It connects when a heartbeat needs it, and disconnects when none has needed it
 * for a while.</li>
 * <li>With any other pool each heartbeat opens a connection. Such a connection lacks the
 * preparation that the pool gives to its own connections, and may see other tables: it is
 * relied on once it has extended all leases of a heartbeat. Until then the pool extends
 * the other leases, and if the pool reaches more of them, the connection is not used
 * again.</li>
 * <li>If no connection outside the pool is possible, connections of the pool are
 * used.</li>
 * </ol>
 */
final class HeartbeatConnections implements AutoCloseable {

	/**
	 * A heartbeat that is lost in the network is given up early enough for the next one
	 * to be in time: the time between two of them is less than half of the lease.
	 */
	private static final int PER_LEASE = 4;

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			HeartbeatConnections.class.getClassLoader());

	private static final Log logger = LogFactory.getLog(HeartbeatConnections.class);

	private final Jdbc jdbc;

	private final Supplier<@Nullable DataSource> unpooled;

	private @Nullable DataSource outside;

	private State state = State.UNKNOWN;

	/**
	 * Creates an instance that is not connected.
	 * @param jdbc sends an extension
	 * @param unpooled connects to the same database without the application's pool,
	 * {@code null} if no address is known
	 */
	HeartbeatConnections(Jdbc jdbc, Supplier<@Nullable DataSource> unpooled) {
		this.jdbc = jdbc;
		this.unpooled = unpooled;
	}

	/**
	 * Extends leases.
	 * @param leases the number of leases
	 * @param duration the time that they are extended by
	 * @param extension extends them, and returns the number of those that are still held
	 */
	synchronized void extend(int leases, Duration duration, Work<Integer> extension) {
		Duration limit = Collections.min(List.of(this.jdbc.timeout(), duration.dividedBy(PER_LEASE)));
		if (this.state == State.UNKNOWN) {
			connect();
		}
		switch (this.state) {
			case RELIED_ON -> runOutside(limit, extension);
			case DOUBTED -> extendInDoubt(leases, limit, extension);
			default -> this.jdbc.separateMessage(limit, extension);
		}
	}

	private void connect() {
		DataSource pool = this.jdbc.connections().dataSource();
		HikariDataSource copy = (HIKARI && pool != null) ? Hikari.beside(pool) : null;
		this.outside = (copy != null) ? copy : this.unpooled.get();
		this.state = (copy != null) ? State.RELIED_ON : State.DOUBTED;
		if (this.outside == null) {
			giveUp("the library has no address for a connection outside it", null);
		}
	}

	private void extendInDoubt(int leases, Duration limit, Work<Integer> extension) {
		int extended = 0;
		RuntimeException failure = null;
		try {
			extended = runOutside(limit, extension);
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		if (leases > 0 && extended == leases) {
			this.state = State.RELIED_ON;
			return;
		}
		// If this fails as well, the connection is not to blame.
		if (this.jdbc.separateMessage(limit, extension) > extended) {
			giveUp("a connection outside it does not see the leases", failure);
		}
	}

	private void giveUp(String reason, @Nullable RuntimeException failure) {
		this.state = State.NONE;
		LogEvent.HEARTBEATS_IN_POOL.log(logger, "Heartbeats use connections of the application's pool, because "
				+ reason
				+ ". Leave room for one more, or declare a JdbcConnectionDetails bean with the address of the database",
				failure);
	}

	private int runOutside(Duration limit, Work<Integer> extension) {
		try (Connection connection = Objects.requireNonNull(this.outside, "Not connected").getConnection()) {
			return this.jdbc.separateMessage(connection, limit, extension);
		}
		catch (SQLException ex) {
			throw new DataAccessResourceFailureException("Leases could not be extended", ex);
		}
	}

	@Override
	public synchronized void close() throws Exception {
		if (this.outside instanceof AutoCloseable closeable) {
			closeable.close();
		}
	}

	/**
	 * The state of the connection.
	 */
	private enum State {

		UNKNOWN, DOUBTED, RELIED_ON, NONE

	}

	/**
	 * Separate class, not loaded without HikariCP.
	 */
	private static final class Hikari {

		private static final int IDLE_MILLIS = 60_000;

		static @Nullable HikariDataSource beside(DataSource dataSource) {
			try {
				return dataSource.isWrapperFor(HikariDataSource.class) ? copy(dataSource.unwrap(HikariDataSource.class))
						: null;
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
