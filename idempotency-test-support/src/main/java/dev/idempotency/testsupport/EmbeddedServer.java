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
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
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

	private final Path dataDirectory;

	private int port;

	private @Nullable EmbeddedPostgres process;

	private EmbeddedServer(Map<String, String> settings) throws IOException {
		this.settings = settings;
		this.dataDirectory = Files.createTempDirectory("idempotency-postgres-");
		Runtime.getRuntime().addShutdownHook(new Thread(this::destroy, "postgres-shutdown"));
	}

	static EmbeddedServer start(Map<String, String> settings) {
		try {
			EmbeddedServer server = new EmbeddedServer(settings);
			server.start();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Could not start the embedded PostgreSQL", ex);
		}
	}

	synchronized void start() throws IOException {
		if (this.process != null) {
			return;
		}
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
			.setDataDirectory(this.dataDirectory)
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
		ProcessHandle postmaster = ProcessHandle.of(postmasterId()).orElseThrow();
		List<ProcessHandle> children = postmaster.descendants().toList();
		Stream.concat(Stream.of(postmaster), children.stream()).forEach((handle) -> {
			handle.destroyForcibly();
			handle.onExit().join();
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
		copy(this.dataDirectory, standby.dataDirectory);
		start();
		Files.createFile(standby.dataDirectory.resolve("standby.signal"));
		Files.writeString(standby.dataDirectory.resolve("postgresql.auto.conf"),
				"primary_conninfo = 'host=localhost port=" + this.port + " user=postgres'\n",
				StandardOpenOption.APPEND);
		standby.start();
		database("postgres").execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
		database("postgres").execute("SELECT pg_reload_conf()");
		return standby;
	}

	private static void copy(Path source, Path target) throws IOException {
		try (Stream<Path> paths = Files.walk(source)) {
			for (Path path : paths.filter((candidate) -> !candidate.equals(source)).toList()) {
				Files.copy(path, target.resolve(source.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
			}
		}
	}

	synchronized void destroy() {
		try {
			stop();
			if (Files.exists(this.dataDirectory)) {
				Files.walkFileTree(this.dataDirectory, new Deleter());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private long postmasterId() throws IOException {
		return Long.parseLong(Files.readAllLines(this.dataDirectory.resolve("postmaster.pid")).get(0).strip());
	}

	@Override
	public TestDatabase database(String name) {
		return new TestDatabase("jdbc:postgresql://localhost:" + this.port + "/" + name, "postgres", "postgres");
	}

	private static final class Deleter extends SimpleFileVisitor<Path> {

		@Override
		public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
			Files.delete(file);
			return FileVisitResult.CONTINUE;
		}

		@Override
		public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
			Files.delete(directory);
			return FileVisitResult.CONTINUE;
		}

	}

}
