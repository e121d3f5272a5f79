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
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL from binaries on the class path. Between stop and start it keeps its data
 * directory and its port, so that clients find it again; the data is deleted when it is
 * closed, or at the end of the JVM.
 */
public final class DedicatedServer implements PostgresServer, AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

	private final Map<String, String> settings;

	private final DataDirectory data;

	private final int port = FreePorts.findOne();

	private @Nullable EmbeddedPostgres process;

	private DedicatedServer(Map<String, String> settings) throws IOException {
		this.settings = settings;
		this.data = DataDirectory.create();
		Runtime.getRuntime().addShutdownHook(new Thread(this::close, "postgres-shutdown"));
	}

	/**
	 * Starts a server.
	 * @param own the settings that differ from those of the other servers
	 */
	static DedicatedServer start(Map<String, String> own) {
		Map<String, String> settings = new HashMap<>(SETTINGS);
		settings.putAll(own);
		try {
			DedicatedServer server = new DedicatedServer(settings);
			unused().copyTo(server.data);
			server.start();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Could not start the embedded PostgreSQL", ex);
		}
	}

	/**
	 * Returns the data of a server that was never used, by the first server if there is
	 * none.
	 */
	private static DataDirectory unused() throws IOException {
		DataDirectory unused = DataDirectory.unused();
		if (!unused.exists()) {
			DedicatedServer first = new DedicatedServer(Map.of());
			first.start();
			first.stop();
			first.data.moveTo(unused);
		}
		return unused;
	}

	/**
	 * Creates a database with a unique name. The server must be running.
	 * @return the new database, whose address stays the same over restarts
	 */
	public TestDatabase createDatabase() {
		return TestDatabase.create(this);
	}

	/**
	 * Starts the server if it is not running.
	 */
	public synchronized void start() {
		if (this.process != null) {
			return;
		}
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
			.setDataDirectory(this.data.path())
			.setCleanDataDirectory(false)
			.setRegisterShutdownHook(false)
			.setPGStartupWait(START_TIMEOUT)
			.setLocaleConfig("locale", "C")
			.setPort(this.port);
		this.settings.forEach(builder::setServerConfig);
		try {
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Shuts the server down in order; clients are disconnected (PostgreSQL's fast mode).
	 */
	public synchronized void stop() {
		if (this.process == null) {
			return;
		}
		try {
			this.process.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.process = null;
	}

	/**
	 * Kills all processes of the server, as a power failure would.
	 */
	public synchronized void crash() {
		if (this.process != null) {
			InstalledProgram.postmaster(this.data.path()).ifPresent(InstalledProgram::killTree);
			stop();
		}
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
	 * until it is durable on the standby too. The first copy of the data is made while
	 * this server is stopped.
	 * @return the running standby, to be closed by the caller
	 */
	public synchronized DedicatedServer startStandby() {
		stop();
		try {
			DedicatedServer standby = new DedicatedServer(this.settings);
			this.data.copyTo(standby.data);
			start();
			Files.createFile(standby.data.path().resolve("standby.signal"));
			Files.writeString(standby.data.path().resolve("postgresql.auto.conf"),
					"primary_conninfo = 'host=localhost port=" + this.port + " user=postgres'\n",
					StandardOpenOption.APPEND);
			standby.start();
			database("postgres").execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
			database("postgres").execute("SELECT pg_reload_conf()");
			return standby;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes this standby the primary.
	 */
	public void promote() {
		database("postgres").execute("SELECT pg_promote()");
	}

	/**
	 * Describes a database of the primary that this standby follows, so that clients find
	 * whichever of the two is the primary when they connect.
	 * @param primary the database on the primary
	 * @return the database on both
	 */
	public TestDatabase behind(TestDatabase primary) {
		URI first = primary.address();
		return new TestDatabase(
				"jdbc:postgresql://" + first.getAuthority() + "," + database("postgres").address().getAuthority()
						+ first.getPath()
						+ "?targetServerType=primary&connectTimeout=2&socketTimeout=10&hostRecheckSeconds=0",
				primary.username(), primary.password());
	}

	@Override
	public TestDatabase database(String name) {
		return new TestDatabase("jdbc:postgresql://localhost:" + this.port + "/" + name, "postgres", "postgres");
	}

	/**
	 * Kills the server and deletes its data, which is no longer needed: an orderly stop
	 * would write it to disk.
	 */
	@Override
	public synchronized void close() {
		crash();
		try {
			this.data.delete();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
