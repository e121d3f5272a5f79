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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of a {@link PatroniCluster} and the Patroni that runs it.
 */
final class PatroniMember {

	private static final String CONFIGURATION = """
			scope: payments
			name: %1$s
			restapi: {listen: '127.0.0.1:%2$d', connect_address: '127.0.0.1:%2$d'}
			# Not etcd3: in 3.0.2 a primary that goes on after a pause overwrites the key of its successor
			etcd: {host: '127.0.0.1:%4$d'}
			bootstrap:
			  dcs:
			    # The least that Patroni accepts: seconds without a primary when its whole machine is lost
			    ttl: 20
			    loop_wait: 1
			    retry_timeout: 5
			    # Another one takes over when the primary has crashed, instead of a long recovery
			    primary_start_timeout: 0
			    # Nobody takes over who lacks a commit that was acknowledged
			    synchronous_mode: true
			    postgresql:
			      use_pg_rewind: true
			      parameters: {max_connections: 100, shared_buffers: 32MB}
			  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
			postgresql:
			  listen: '127.0.0.1:%3$d'
			  connect_address: '127.0.0.1:%3$d'
			  data_dir: %5$s/%1$s
			  bin_dir: %6$s
			  pgpass: %5$s/%1$s.pgpass
			  parameters: {unix_socket_directories: ''}
			  authentication:
			    superuser: {username: postgres, password: postgres}
			    replication: {username: replicator, password: replicator}
			  pg_hba:
			  - host all all 127.0.0.1/32 scram-sha-256
			  - host replication replicator 127.0.0.1/32 scram-sha-256
			""";

	private final HttpClient http = HttpClient.newHttpClient();

	private final Path directory;

	private final String name;

	private final int restPort;

	private final int port;

	private @Nullable InstalledProgram patroni;

	PatroniMember(Path directory, String name, int restPort, int port) {
		this.directory = directory;
		this.name = name;
		this.restPort = restPort;
		this.port = port;
	}

	void configure(int etcdPort) throws IOException {
		Files.writeString(this.directory.resolve(this.name + ".yml"),
				CONFIGURATION.formatted(this.name, this.restPort, this.port, etcdPort, this.directory, binaries()));
	}

	/**
	 * Returns the programs of the newest PostgreSQL, where Debian's packages have them.
	 */
	private static Path binaries() throws IOException {
		try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
			return versions.map((version) -> version.resolve("bin"))
				.filter((programs) -> Files.exists(programs.resolve("initdb")))
				.max(Comparator.naturalOrder())
				.orElseThrow(() -> new IOException("No initdb below /usr/lib/postgresql"));
		}
	}

	/**
	 * Returns the line of HAProxy's configuration that describes this member.
	 */
	String haproxyServer() {
		return "server %s 127.0.0.1:%d check port %d".formatted(this.name, this.port, this.restPort);
	}

	String name() {
		return this.name;
	}

	void start() {
		try {
			this.patroni = InstalledProgram.start(this.directory, this.name, List.of("patroni", this.name + ".yml"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kills all processes of PostgreSQL.
	 */
	void killPostgres() {
		postmaster().ifPresent(InstalledProgram::killTree);
	}

	/**
	 * Kills Patroni, which could start PostgreSQL again, then PostgreSQL.
	 */
	void kill() {
		if (this.patroni != null) {
			InstalledProgram.killTree(this.patroni.handle());
		}
		killPostgres();
	}

	void signal(String signal) {
		if (this.patroni != null) {
			InstalledProgram.signal(signal, this.patroni.handle());
		}
		postmaster().ifPresent((postmaster) -> InstalledProgram.signal(signal, postmaster));
	}

	private Optional<ProcessHandle> postmaster() {
		return InstalledProgram.postmaster(this.directory.resolve(this.name));
	}

	/**
	 * Returns whether the member has a role, from Patroni's endpoint for load balancers.
	 * @param role {@code primary}, {@code synchronous} or {@code replica}, which a
	 * synchronous one is too
	 */
	boolean is(String role) {
		return status(request(role).GET(), Duration.ofSeconds(5)) == 200;
	}

	/**
	 * Hands the role of the primary to another member.
	 */
	void switchOver() {
		String body = "{\"leader\": \"" + this.name + "\"}";
		int status = status(request("switchover").POST(BodyPublishers.ofString(body)), Duration.ofMinutes(1));
		if (status != 200) {
			throw new IllegalStateException("Patroni answered a switchover with " + status);
		}
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.restPort + "/" + path));
	}

	private int status(HttpRequest.Builder request, Duration timeout) {
		try {
			return this.http.send(request.timeout(timeout).build(), BodyHandlers.discarding()).statusCode();
		}
		catch (IOException ex) {
			return -1;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
