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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A node in a separate JVM, which can be killed and paused.
 */
final class Node implements AutoCloseable {

	private final JavaProcess process;

	private final URI address;

	private Node(JavaProcess process) {
		this.process = process;
		this.address = URI.create("http://127.0.0.1:" + process.awaitLine(NodeApplication.STARTED));
	}

	static Node start(TestDatabase database, String... properties) {
		return start(database, Map.of(), properties);
	}

	static Node start(TestDatabase database, Map<String, String> environment, String... properties) {
		List<String> arguments = new ArrayList<>(List.of(database.jdbcUrl(), database.username(), database.password()));
		arguments.addAll(List.of(properties));
		JavaProcess process = JavaProcess.start(NodeApplication.class, arguments, environment);
		try {
			return new Node(process);
		}
		catch (RuntimeException ex) {
			process.close();
			throw ex;
		}
	}

	URI address() {
		return this.address;
	}

	/**
	 * Waits until a number of requests have stopped.
	 * @return their paths and points
	 */
	Set<String> awaitReached(int count) {
		Set<String> reached = new HashSet<>();
		for (int i = 0; i < count; i++) {
			reached.add(this.process.awaitLine(Stops.REACHED));
		}
		return reached;
	}

	/**
	 * {@code kill -9}.
	 */
	void kill() {
		this.process.kill();
	}

	/**
	 * Takes the processor away from the node (SIGSTOP): its clock goes on, it does not.
	 */
	void pause() {
		this.process.signal("STOP");
	}

	void proceed() {
		this.process.signal("CONT");
	}

	/**
	 * Returns the output of the node, which ends with what its threads do (SIGQUIT).
	 */
	String threads() {
		this.process.signal("QUIT");
		this.process.awaitLine("Heap");
		return this.process.output();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
