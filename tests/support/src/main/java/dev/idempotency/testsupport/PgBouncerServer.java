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
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * PostgreSQL behind a PgBouncer that pools transactions: the next transaction of a
 * connection may run in another session of the server. The program {@code pgbouncer} has
 * to be installed, in the version that comes with Debian or later.
 * <p>
 * Clients do not use prepared statements of a session ({@code prepareThreshold=0}), which
 * PgBouncer knows from version 1.21 on, and only where {@code max_prepared_statements} is
 * set.
 */
final class PgBouncerServer implements PostgresServer {

	/**
	 * The value of the system property that chooses this kind of server.
	 */
	static final String KIND = "pgbouncer";

	private static final String CONFIGURATION = """
			[databases]
			* = host=%s port=%d user=%s password=%s

			[pgbouncer]
			listen_addr = 127.0.0.1
			listen_port = %d
			unix_socket_dir =
			auth_type = any
			admin_users = %3$s
			pool_mode = transaction
			default_pool_size = 10
			max_client_conn = 500
			ignore_startup_parameters = extra_float_digits
			log_connections = 0
			log_disconnections = 0
			""";

	private final TestDatabase behind;

	private final int port;

	private PgBouncerServer(TestDatabase behind, int port) {
		this.behind = behind;
		this.port = port;
	}

	static PgBouncerServer start(PostgresServer server) {
		try {
			TestDatabase behind = server.database("postgres");
			PgBouncerServer started = new PgBouncerServer(behind, FreePorts.findOne());
			started.run();
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"Could not start PgBouncer: install it, for instance with apt-get install pgbouncer", ex);
		}
	}

	private void run() throws IOException {
		URI address = this.behind.address();
		// Started by root it becomes another user, who has to be able to read this.
		Path configuration = Files.createTempFile("pgbouncer-", ".ini",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
		Files.writeString(configuration, CONFIGURATION.formatted(address.getHost(), address.getPort(),
				this.behind.username(), this.behind.password(), this.port));
		Files.setPosixFilePermissions(configuration, PosixFilePermissions.fromString("rw-r--r--"));
		List<String> command = new ArrayList<>(List.of("pgbouncer"));
		if ("root".equals(System.getProperty("user.name"))) {
			command.addAll(List.of("-u", "nobody"));
		}
		command.add(configuration.toString());
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "pgbouncer-shutdown"));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			if (!process.isAlive()) {
				throw new IllegalStateException("PgBouncer ended with exit code " + process.exitValue());
			}
			return accepts();
		});
	}

	private boolean accepts() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public TestDatabase database(String name) {
		return new TestDatabase("jdbc:postgresql://127.0.0.1:" + this.port + "/" + name + "?prepareThreshold=0",
				this.behind.username(), this.behind.password());
	}

}
