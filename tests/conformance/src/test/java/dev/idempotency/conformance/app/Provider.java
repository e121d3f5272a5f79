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
package dev.idempotency.conformance.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A payment provider that honours idempotency keys: one charge for each key.
 */
public final class Provider implements AutoCloseable {

	/**
	 * Faults of a request.
	 */
	public enum Fault {

		/**
		 * No fault.
		 */
		NONE,

		/** It is answered with 503 before anything is done. */
		UNAVAILABLE,

		/** The charge is made, and the connection breaks before the answer. */
		ANSWER_LOST,

		/** It is answered with 402. */
		DECLINED

	}

	private final HttpServer server;

	private final Map<String, String> charges = new ConcurrentHashMap<>();

	private final List<String> keys = new CopyOnWriteArrayList<>();

	private volatile Function<String, Fault> faults = (key) -> Fault.NONE;

	public Provider() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(Executors.newCachedThreadPool());
		this.server.createContext("/charges", this::charge);
		this.server.start();
	}

	private void charge(HttpExchange exchange) throws IOException {
		exchange.getRequestBody().readAllBytes();
		String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
		this.keys.add(key);
		switch (this.faults.apply(key)) {
			case UNAVAILABLE -> answer(exchange, 503, "unavailable");
			case DECLINED -> answer(exchange, 402, "declined");
			case ANSWER_LOST -> {
				chargeOnce(key);
				exchange.close();
			}
			case NONE -> answer(exchange, 200, chargeOnce(key));
		}
	}

	private String chargeOnce(String key) {
		return this.charges.computeIfAbsent(key, (unused) -> "ch_" + UUID.randomUUID());
	}

	private static void answer(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	public String address() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/**
	 * Decides by the key what happens to each request from now on.
	 */
	public void failWith(Function<String, Fault> faults) {
		this.faults = faults;
	}

	/**
	 * The charges that were made.
	 */
	public List<String> charges() {
		return new ArrayList<>(this.charges.values());
	}

	/**
	 * The keys of all requests.
	 */
	public List<String> keys() {
		return List.copyOf(this.keys);
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
