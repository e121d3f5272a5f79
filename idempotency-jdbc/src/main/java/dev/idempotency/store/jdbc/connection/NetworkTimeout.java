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
import java.time.Duration;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * The time for which a statement waits for the database. It also detects a database that
 * is silently unreachable, in contrast to a statement's own timeout.
 *
 * @param millis the time in milliseconds
 */
public record NetworkTimeout(int millis) {

	private static final Executor SAME_THREAD = Runnable::run;

	public static NetworkTimeout of(Duration timeout) {
		return new NetworkTimeout(Math.toIntExact(timeout.toMillis()));
	}

	/**
	 * Returns the smaller of this and another limit.
	 */
	public NetworkTimeout atMost(Duration limit) {
		return new NetworkTimeout((int) Math.max(1, Math.min(this.millis, limit.toMillis())));
	}

	public <T extends @Nullable Object> T run(Connection connection, ConnectionWork<T> work) throws SQLException {
		int before = connection.getNetworkTimeout();
		connection.setNetworkTimeout(SAME_THREAD, this.millis);
		try {
			return work.execute(connection);
		}
		finally {
			if (!connection.isClosed()) {
				connection.setNetworkTimeout(SAME_THREAD, before);
			}
		}
	}

}
