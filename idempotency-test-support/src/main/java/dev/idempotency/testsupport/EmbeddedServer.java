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
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL from binaries on the class path. A stopped server keeps its data directory
 * and its port, and can be started again.
 */
final class EmbeddedServer implements PostgresServer {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

	private final Map<String, String> settings;

	private final DataDirectory data;

	private int port;

	private @Nullable EmbeddedPostgres process;

	private EmbeddedServer(Map<String, String> settings) throws IOException {
		this.settings = settings;
		this.data = DataDirectory.create();
		Runtime.getRuntime().addShutdownHook(new Thread(this::destroy, "postgres-shutdown"));
	}

	static EmbeddedServer start(Map<String, String> settings) {
		try {
			EmbeddedServer server = new EmbeddedServer(settings);
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
			EmbeddedServer first = new EmbeddedServer(Map.of());
			first.start();
			first.stop();
			first.data.moveTo(unused);
		}
		return unused;
	}

	synchronized void start() throws IOException {
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
		this.process = builder.start();
		this.port = this.process.getPort();
	}

	synchronized void stop() throws IOException {
		if (this.process != null) {
			this.process.close();
			this.process = null;
		}
	}

	/**
	 * Kills the postmaster first, so that it cannot tidy up after its children, then
	 * them.
	 */
	synchronized void crash() throws IOException {
		if (this.process == null) {
			return;
		}
		ProcessHandle.of(postmasterId()).ifPresent((postmaster) -> {
			List<ProcessHandle> children = postmaster.descendants().toList();
			Stream.concat(Stream.of(postmaster), children.stream()).forEach((handle) -> {
				handle.destroyForcibly();
				handle.onExit().join();
			});
		});
		stop();
	}

	/**
	 * Starts a standby that follows this server, and lets commits wait for it. Its first
	 * copy of the data is made while this server is stopped.
	 */
	synchronized EmbeddedServer startStandby() throws IOException {
		stop();
		EmbeddedServer standby = new EmbeddedServer(this.settings);
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

	synchronized void destroy() {
		try {
			// Its data is no longer needed: an orderly stop would write it to disk.
			crash();
			this.data.delete();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private long postmasterId() throws IOException {
		return Long.parseLong(Files.readAllLines(this.data.path().resolve("postmaster.pid")).get(0).strip());
	}

	@Override
	public TestDatabase database(String name) {
		return new TestDatabase("jdbc:postgresql://localhost:" + this.port + "/" + name, "postgres", "postgres");
	}

}
