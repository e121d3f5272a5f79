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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.util.FileSystemUtils;

/**
 * Three PostgreSQL servers under Patroni, which agree through etcd on the one that is the
 * primary, and an HAProxy that leads to it. The programs have to be installed, in the
 * versions that come with Debian 12 or later: {@code patroni}, {@code etcd},
 * {@code haproxy} and PostgreSQL.
 */
public final class PatroniCluster implements AutoCloseable {

	private static final int MEMBERS = 3;

	private static final String HAPROXY = """
			defaults
			  mode tcp
			  timeout connect 2s
			  timeout client 5m
			  timeout server 5m
			  timeout check 2s
			listen primary
			  bind 127.0.0.1:%d
			  option httpchk OPTIONS /primary
			  http-check expect status 200
			  # Whoever is not the primary any more keeps no connection, even one that hangs
			  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
			""";

	private final List<InstalledProgram> others = new ArrayList<>();

	private final List<PatroniMember> members = new ArrayList<>();

	private final Path directory;

	private final int port;

	private PatroniCluster() throws IOException {
		this.directory = InstalledProgram.createDirectory("idempotency-patroni-");
		Runtime.getRuntime().addShutdownHook(new Thread(this::close, "patroni-shutdown"));
		List<Integer> ports = FreePorts.find(3 + 2 * MEMBERS);
		this.port = ports.get(0);
		startEtcd(ports.get(1), ports.get(2));
		for (int i = 0; i < MEMBERS; i++) {
			PatroniMember member = new PatroniMember(this.directory, "member" + i, ports.get(3 + 2 * i),
					ports.get(4 + 2 * i));
			member.configure(ports.get(1));
			this.members.add(member);
			member.start();
		}
		startHaproxy();
	}

	/**
	 * Starts a cluster.
	 * @return the cluster with all members in their roles, to be closed by the caller
	 */
	public static PatroniCluster start() {
		try {
			PatroniCluster cluster = new PatroniCluster();
			cluster.awaitWhole();
			return cluster;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Could not start the cluster: install its programs, for instance with "
					+ "apt-get install patroni etcd-server haproxy postgresql", ex);
		}
	}

	private void startEtcd(int clientPort, int peerPort) throws IOException {
		String client = "http://127.0.0.1:" + clientPort;
		String peer = "http://127.0.0.1:" + peerPort;
		this.others.add(InstalledProgram.start(this.directory, "etcd",
				List.of("etcd", "--enable-v2", "--name", "etcd", "--data-dir", "etcd", "--listen-client-urls", client,
						"--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls",
						peer, "--initial-cluster", "etcd=" + peer)));
	}

	private void startHaproxy() throws IOException {
		String servers = this.members.stream()
			.map((member) -> "  " + member.haproxyServer() + "\n")
			.collect(Collectors.joining());
		Files.writeString(this.directory.resolve("haproxy.cfg"), HAPROXY.formatted(this.port) + servers);
		this.others.add(InstalledProgram.start(this.directory, "haproxy",
				List.of("/usr/sbin/haproxy", "-db", "-f", "haproxy.cfg")));
	}

	/**
	 * Creates a database with a unique name, on the primary.
	 * @return the new database, by the address of HAProxy
	 */
	public TestDatabase createDatabase() {
		return TestDatabase.create(this::database);
	}

	private TestDatabase database(String name) {
		return new TestDatabase(
				"jdbc:postgresql://127.0.0.1:" + this.port + "/" + name + "?connectTimeout=2&socketTimeout=10",
				"postgres", "postgres");
	}

	/**
	 * Waits until there are a primary, a synchronous standby and one more standby, and
	 * HAProxy leads to the primary.
	 */
	public void awaitWhole() {
		try {
			Awaitility.await().atMost(Duration.ofMinutes(3)).ignoreExceptions().until(() -> {
				database("postgres").execute("SELECT pg_current_xact_id()");
				return count("primary") == 1 && count("synchronous") == 1 && count("replica") == MEMBERS - 1;
			});
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException("The cluster is not whole:\n" + InstalledProgram.logs(this.directory), ex);
		}
	}

	private long count(String role) {
		return this.members.stream().filter((member) -> member.is(role)).count();
	}

	private void awaitSuccessor(PatroniMember primary) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.until(() -> this.members.stream().anyMatch((member) -> member != primary && member.is("primary")));
	}

	private PatroniMember primary() {
		return this.members.stream().filter((member) -> member.is("primary")).findFirst().orElseThrow();
	}

	/**
	 * Returns the name of the primary.
	 * @return the name among the members
	 */
	public String primaryName() {
		return primary().name();
	}

	/**
	 * Hands the role of the primary to the synchronous standby, as an operator does for
	 * maintenance.
	 */
	public void switchOver() {
		primary().switchOver();
	}

	/**
	 * Kills all processes of the primary's PostgreSQL. Its Patroni notices it.
	 */
	public void crashPostgres() {
		primary().killPostgres();
	}

	/**
	 * Kills the primary's PostgreSQL and its Patroni. Another member takes over when
	 * their hold on etcd has run out; after an action they are started again.
	 * @param meanwhile the action, which finds another primary
	 */
	public void withoutPrimary(Runnable meanwhile) {
		PatroniMember lost = primary();
		lost.kill();
		try {
			awaitSuccessor(lost);
			meanwhile.run();
		}
		finally {
			lost.start();
		}
	}

	/**
	 * Takes the processor away from the primary's PostgreSQL and its Patroni (SIGSTOP).
	 * Another member takes over; after an action they go on as if nothing had happened.
	 * @param meanwhile the action, which finds another primary
	 */
	public void whilePrimaryIsPaused(Runnable meanwhile) {
		PatroniMember paused = primary();
		paused.signal("STOP");
		try {
			awaitSuccessor(paused);
			meanwhile.run();
		}
		finally {
			paused.signal("CONT");
		}
	}

	@Override
	public void close() {
		this.members.forEach(PatroniMember::kill);
		this.others.forEach((program) -> InstalledProgram.killTree(program.handle()));
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
