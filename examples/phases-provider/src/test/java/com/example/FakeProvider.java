package com.example;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A payment provider that makes one charge for each idempotency key, and can lose an
 * answer.
 */
class FakeProvider implements AutoCloseable {

	private final Map<String, String> charges = new ConcurrentHashMap<>();

	private final AtomicBoolean loseAnswer = new AtomicBoolean();

	private final HttpServer server;

	FakeProvider() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/charges", this::charge);
		this.server.start();
	}

	String url() {
		return "http://localhost:" + this.server.getAddress().getPort();
	}

	long numberOfCharges() {
		return this.charges.size();
	}

	/**
	 * Closes the connection of the next request after the charge, without an answer.
	 */
	void loseNextAnswer() {
		this.loseAnswer.set(true);
	}

	private void charge(HttpExchange exchange) throws IOException {
		try (exchange) {
			String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
			String id = this.charges.computeIfAbsent(key, (unused) -> "ch_" + UUID.randomUUID());
			if (this.loseAnswer.getAndSet(false)) {
				return;
			}
			byte[] body = "{\"id\":\"%s\"}".formatted(id).getBytes();
			exchange.getResponseHeaders().set("Content-Type", "application/json");
			exchange.sendResponseHeaders(201, body.length);
			exchange.getResponseBody().write(body);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
