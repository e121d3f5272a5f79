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
package dev.idempotency.conformance.process;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

/**
 * A node of the application in a separate JVM, which can be killed.
 */
public final class FaultyNode implements AutoCloseable {

	/**
	 * The exit code of a node that killed itself.
	 */
	static final int HALTED = 137;

	private final JavaProcess process;

	private final String port;

	private final HttpClient client = HttpClient.newHttpClient();

	private FaultyNode(JavaProcess process) {
		this.process = process;
		this.port = process.awaitLine(FaultApplication.STARTED);
	}

	/**
	 * Starts a node.
	 * @param database its database
	 * @param fault where it stops
	 * @param properties more properties as {@code name=value}
	 * @return the running node
	 */
	public static FaultyNode start(TestDatabase database, FaultPoint fault, String... properties) {
		return start(database, fault, Map.of(), properties);
	}

	/**
	 * Starts a node.
	 * @param database its database
	 * @param fault where it stops
	 * @param environment environment variables on top of those of this JVM
	 * @param properties more properties as {@code name=value}
	 * @return the running node
	 */
	public static FaultyNode start(TestDatabase database, FaultPoint fault, Map<String, String> environment,
			String... properties) {
		List<String> arguments = new ArrayList<>(List.of(database.jdbcUrl(), database.username(), database.password()));
		arguments.add(FaultApplication.FAULT_PROPERTY + "=" + fault);
		arguments.addAll(List.of(properties));
		JavaProcess process = JavaProcess.start(FaultApplication.class, arguments, environment);
		try {
			return new FaultyNode(process);
		}
		catch (RuntimeException ex) {
			process.close();
			throw ex;
		}
	}

	/**
	 * Post JSON as a user with a key, and go on.
	 */
	public CompletableFuture<HttpResponse<byte[]>> post(String user, String path, String key, String body) {
		String credentials = Base64.getEncoder()
			.encodeToString((user + ":" + user).getBytes(StandardCharsets.US_ASCII));
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
			.header("Authorization", "Basic " + credentials)
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", key)
			.POST(BodyPublishers.ofString(body))
			.build();
		return this.client.sendAsync(request, BodyHandlers.ofByteArray());
	}

	/**
	 * Waits until the node has come to its fault point.
	 */
	public void awaitReached(FaultPoint fault) {
		this.process.awaitLine(FaultApplication.REACHED + fault);
	}

	/**
	 * Waits until the node has killed itself.
	 */
	public void awaitHalted() {
		int exitCode = this.process.awaitExit();
		if (exitCode != HALTED) {
			throw new IllegalStateException("The node ended with exit code " + exitCode);
		}
	}

	/**
	 * Returns the id of its process.
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Kills the node, as {@code kill -9} does.
	 */
	public void kill() {
		this.process.kill();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
