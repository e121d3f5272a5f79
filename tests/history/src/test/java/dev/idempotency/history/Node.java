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
package dev.idempotency.history;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.idempotency.testsupport.FaultyProxy;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;

/**
 * A place in the cluster, where one process follows another, with the networks in front
 * of it and behind it. The settings that differ between operations of one application
 * rotate with each start, as in a rolling change of its configuration.
 */
final class Node implements AutoCloseable {

	/** The duration of a lease. */
	static final int LEASE = 3000;

	private static final List<String> ON_EXPIRY = List.of("rerun", "complete", "refuse");

	private static final List<String> IN_FLIGHT = List.of("reject", "reject", "wait");

	private static final String NOWHERE = "127.0.0.1";

	private final String name;

	private final List<String> properties;

	private final AtomicInteger starts;

	/** Between clients and node. */
	private final FaultyLink front = FaultyLink.to(this::address);

	/** Between node and database, for whole statements and commits. */
	private final FaultyProxy commits;

	/** Between node and database, for bytes. */
	private final FaultyLink back;

	private final Queue<JavaProcess> processes = new ConcurrentLinkedQueue<>();

	private volatile CompletableFuture<JavaProcess> starting;

	private volatile InetSocketAddress address = new InetSocketAddress(NOWHERE, 1);

	/**
	 * Starts a node.
	 * @param name its name in histories
	 * @param database its database
	 * @param starts the number of processes in all places
	 * @param properties more properties
	 */
	Node(String name, TestDatabase database, AtomicInteger starts, List<String> properties) {
		this.name = name;
		this.starts = starts;
		this.commits = FaultyProxy.before(database);
		URI proxy = URI.create(this.commits.database().jdbcUrl().substring("jdbc:".length()));
		this.back = FaultyLink.to(() -> new InetSocketAddress(proxy.getHost(), proxy.getPort()));
		this.properties = new ArrayList<>(properties);
		this.properties.addAll(List.of(
				"spring.datasource.url=jdbc:postgresql://127.0.0.1:" + this.back.port() + proxy.getPath() + "?"
						+ proxy.getQuery(),
				"spring.datasource.username=" + database.username(),
				"spring.datasource.password=" + database.password(), "spring.datasource.hikari.minimum-idle=1",
				"spring.datasource.hikari.connection-timeout=2000", "spring.datasource.hikari.validation-timeout=1000",
				"spring.datasource.hikari.connection-init-sql=set lock_timeout = 700",
				NodeApplication.NODE + "=" + name, "idempotency.lease.duration=" + LEASE + "ms",
				"idempotency.in-flight.wait=1s", "idempotency.store.timeout=3s", "idempotency.completer.after=2s",
				"idempotency.completer.interval=100ms", "idempotency.completer.max-attempts=1000",
				"management.endpoints.web.exposure.include=idempotency,idempotencylookup",
				"management.endpoint.idempotency.access=unrestricted"));
		this.starting = start();
	}

	private CompletableFuture<JavaProcess> start() {
		int number = this.starts.getAndIncrement();
		List<String> arguments = new ArrayList<>(this.properties);
		arguments.add("idempotency.lease.on-expiry=" + ON_EXPIRY.get(number % ON_EXPIRY.size()));
		arguments.add("idempotency.in-flight.policy=" + IN_FLIGHT.get(number / 2 % IN_FLIGHT.size()));
		return CompletableFuture.supplyAsync(() -> {
			JavaProcess process = JavaProcess.start(NodeApplication.class, arguments);
			this.processes.add(process);
			try {
				int port = Integer.parseInt(process.awaitLine(NodeApplication.STARTED));
				this.address = new InetSocketAddress(NOWHERE, port);
				return process;
			}
			catch (RuntimeException ex) {
				process.close();
				throw ex;
			}
		}, (task) -> new Thread(task).start());
	}

	String name() {
		return this.name;
	}

	/**
	 * The address of the node for clients, which stays the same.
	 */
	URI uri() {
		return URI.create("http://127.0.0.1:" + this.front.port());
	}

	private InetSocketAddress address() {
		return this.address;
	}

	FaultyLink front() {
		return this.front;
	}

	FaultyLink back() {
		return this.back;
	}

	FaultyProxy commits() {
		return this.commits;
	}

	/**
	 * Waits for the process to start. One that came up while its database was down has
	 * given up, and is started again.
	 */
	void awaitStarted() {
		for (int i = 0; this.starting.handle((process, failure) -> failure).join() != null && i < 3; i++) {
			this.starting = start();
		}
		this.starting.join();
	}

	/**
	 * Returns the running process, {@code null} while it starts.
	 */
	@Nullable JavaProcess process() {
		boolean started = this.starting.isDone() && !this.starting.isCompletedExceptionally();
		return started ? this.starting.join() : null;
	}

	/**
	 * Starts a process again that came up while its database was down.
	 */
	synchronized void supervise() {
		if (this.starting.isCompletedExceptionally()) {
			this.starting = start();
		}
	}

	/**
	 * {@code kill -9}, and a new process.
	 */
	synchronized void killAndRestart() {
		JavaProcess process = process();
		if (process != null) {
			process.kill();
			this.starting = start();
		}
	}

	/**
	 * Lets the process write its threads into its output.
	 */
	void dumpThreads() {
		JavaProcess process = process();
		if (process != null) {
			process.signal("QUIT");
		}
	}

	/**
	 * The output of all processes.
	 */
	String output() {
		return this.processes.stream().map(JavaProcess::output).collect(Collectors.joining("\n== next process\n"));
	}

	@Override
	public void close() {
		this.starting.thenAccept(JavaProcess::close).exceptionally((failure) -> null).join();
		this.front.close();
		this.back.close();
		this.commits.close();
	}

}
