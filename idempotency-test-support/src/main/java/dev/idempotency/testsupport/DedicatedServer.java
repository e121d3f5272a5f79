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

package dev.idempotency.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;

/**
 * A PostgreSQL server that belongs to one test. Between stop and start it keeps its data
 * directory and its port, so that clients find it again; the data is deleted when it is
 * closed.
 */
public final class DedicatedServer implements AutoCloseable {

	private final EmbeddedServer server;

	DedicatedServer(EmbeddedServer server) {
		this.server = server;
	}

	/**
	 * Creates a database with a unique name. The server must be running.
	 * @return the new database, whose address stays the same over restarts
	 */
	public TestDatabase createDatabase() {
		return TestDatabase.create(this.server);
	}

	/**
	 * Starts the server if it is not running.
	 */
	public void start() {
		run(this.server::start);
	}

	/**
	 * Shuts the server down in order; clients are disconnected (PostgreSQL's fast mode).
	 */
	public void stop() {
		run(this.server::stop);
	}

	/**
	 * Kills all processes of the server, as a power failure would.
	 */
	public void crash() {
		run(this.server::crash);
	}

	/**
	 * Restarts the server.
	 */
	public void restart() {
		stop();
		start();
	}

	/**
	 * Starts a standby that streams from this server. Each commit on this server waits
	 * until it is durable on the standby too. The server is restarted for it.
	 * @return the running standby, to be closed by the caller
	 */
	public DedicatedServer startStandby() {
		try {
			return new DedicatedServer(this.server.startStandby());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes this standby the primary.
	 */
	public void promote() {
		this.server.database("postgres").execute("SELECT pg_promote()");
	}

	/**
	 * Describes a database of the primary that this standby follows, so that clients find
	 * whichever of the two is the primary when they connect.
	 * @param primary the database on the primary
	 * @return the database on both
	 */
	public TestDatabase behind(TestDatabase primary) {
		URI first = URI.create(primary.jdbcUrl().substring("jdbc:".length()));
		URI second = URI.create(this.server.database("postgres").jdbcUrl().substring("jdbc:".length()));
		return new TestDatabase(
				"jdbc:postgresql://" + first.getAuthority() + "," + second.getAuthority() + first.getPath()
						+ "?targetServerType=primary&connectTimeout=2&socketTimeout=10&hostRecheckSeconds=0",
				primary.username(), primary.password());
	}

	@Override
	public void close() {
		this.server.destroy();
	}

	private static void run(Action action) {
		try {
			action.run();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@FunctionalInterface
	private interface Action {

		void run() throws IOException;

	}

}
