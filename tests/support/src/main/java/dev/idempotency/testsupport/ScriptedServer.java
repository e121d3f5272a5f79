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
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

/**
 * Another system that answers by a script, and with 200 when the script has ended.
 */
public final class ScriptedServer implements AutoCloseable {

	/**
	 * A request that arrived.
	 */
	public record Received(String method, String path, @Nullable String key, String body) {
	}

	private record Reply(int status, Map<String, String> headers, String body) {
	}

	/**
	 * The connection is closed without an answer.
	 */
	private static final Reply LOST = new Reply(-1, Map.of(), "");

	private final HttpServer server;

	private final Queue<Reply> script = new ConcurrentLinkedQueue<>();

	private final List<Received> received = new CopyOnWriteArrayList<>();

	public ScriptedServer() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	private void answer(HttpExchange exchange) throws IOException {
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		this.received.add(new Received(exchange.getRequestMethod(), exchange.getRequestURI().toString(),
				exchange.getRequestHeaders().getFirst("Idempotency-Key"), body));
		Reply scripted = this.script.poll();
		Reply reply = (scripted != null) ? scripted : new Reply(200, Map.of(), "done");
		if (reply != LOST) {
			byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
			reply.headers().forEach(exchange.getResponseHeaders()::set);
			exchange.sendResponseHeaders(reply.status(), (bytes.length > 0) ? bytes.length : -1);
			exchange.getResponseBody().write(bytes);
		}
		exchange.close();
	}

	public ScriptedServer reply(int status, String... headers) {
		return reply(status, "", (headers.length > 0) ? Map.of(headers[0], headers[1]) : Map.of());
	}

	public ScriptedServer problem(int status, String type) {
		return reply(status, "{\"type\":\"https://example.com/" + type + "\",\"status\":" + status + "}",
				Map.of("Content-Type", "application/problem+json"));
	}

	private ScriptedServer reply(int status, String body, Map<String, String> headers) {
		this.script.add(new Reply(status, headers, body));
		return this;
	}

	/**
	 * The request is read, and its answer is lost.
	 */
	public ScriptedServer loseAnswer() {
		this.script.add(LOST);
		return this;
	}

	public String address() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	public List<Received> received() {
		return List.copyOf(this.received);
	}

	public List<@Nullable String> keys() {
		return this.received.stream().<@Nullable String>map(Received::key).toList();
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
