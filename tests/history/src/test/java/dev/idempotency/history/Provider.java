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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A payment provider that honours idempotency keys: one charge for each key. It does not
 * fail by itself, as nodes, networks and the database do.
 */
final class Provider implements AutoCloseable {

	/** The header that names the order, for the checker. */
	static final String ORDER = "Order";

	/**
	 * Reactions to a request.
	 */
	enum Reaction {

		CHARGED, UNAVAILABLE, CHARGED_AND_SILENT, DECLINED

	}

	private final HttpServer server;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Map<String, List<Reaction>> scripts = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();

	private final Map<String, Set<String>> charges = new ConcurrentHashMap<>();

	private final Map<String, String> ids = new ConcurrentHashMap<>();

	Provider() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/charges", this::charge);
		this.server.start();
	}

	String address() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/**
	 * Decides what happens to the requests of an order.
	 * @param order its key
	 * @param reactions one for each request; the last is that to all further ones
	 */
	void script(String order, List<Reaction> reactions) {
		this.scripts.put(order, reactions);
	}

	/**
	 * Returns the number of charges of each order that was charged.
	 */
	Map<String, Integer> charges() {
		Map<String, Integer> counts = new ConcurrentHashMap<>();
		this.charges.forEach((order, keys) -> counts.put(order, keys.size()));
		return counts;
	}

	private void charge(HttpExchange exchange) throws IOException {
		exchange.getRequestBody().readAllBytes();
		String order = exchange.getRequestHeaders().getFirst(ORDER);
		String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
		List<Reaction> script = this.scripts.get(order);
		int request = this.requests.computeIfAbsent(order, (unused) -> new AtomicInteger()).getAndIncrement();
		switch (script.get(Math.min(request, script.size() - 1))) {
			case UNAVAILABLE -> answer(exchange, 503, "unavailable");
			case DECLINED -> answer(exchange, 402, "declined");
			case CHARGED_AND_SILENT -> {
				chargeOnce(order, key);
				exchange.close();
			}
			case CHARGED -> answer(exchange, 200, chargeOnce(order, key));
		}
	}

	private String chargeOnce(String order, String key) {
		this.charges.computeIfAbsent(order, (unused) -> ConcurrentHashMap.newKeySet()).add(key);
		return this.ids.computeIfAbsent(key, (unused) -> "ch_" + UUID.randomUUID());
	}

	private static void answer(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
