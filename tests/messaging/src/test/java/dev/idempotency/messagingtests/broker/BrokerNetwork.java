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
package dev.idempotency.messagingtests.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A network between an application and a broker, which can hang and break. A broker that
 * is short of memory looks the same to its publishers: it reads nothing more.
 */
public final class BrokerNetwork implements AutoCloseable {

	private final ServerSocket listener;

	private final int target;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private volatile CompletableFuture<@Nullable Void> resumed = CompletableFuture.completedFuture(null);

	/**
	 * Opens a network.
	 * @param target the port of the broker
	 */
	public BrokerNetwork(int target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	/**
	 * The port at which the broker is reached through this network.
	 * @return a port of {@code localhost}
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Forwards nothing more and breaks nothing. New connections get no answer either.
	 */
	public void hang() {
		this.resumed = new CompletableFuture<>();
	}

	/**
	 * Forwards what was held back, and everything from now on.
	 */
	public void resume() {
		this.resumed.complete(null);
	}

	/**
	 * Breaks all connections, with what was held back on them. New ones are accepted.
	 */
	public void cut() {
		this.sockets.forEach(BrokerNetwork::close);
		this.sockets.clear();
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cut();
		resume();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				Socket broker = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.sockets.add(client);
				this.sockets.add(broker);
				start(() -> forward(client, broker));
				start(() -> forward(broker, client));
			}
			catch (IOException ex) {
				// The network is closed, or the broker is down: the client finds out.
			}
		}
	}

	private void forward(Socket from, Socket to) {
		byte[] buffer = new byte[8192];
		try (from; to) {
			for (int read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
				this.resumed.join();
				to.getOutputStream().write(buffer, 0, read);
			}
		}
		catch (IOException ex) {
			// One side is gone, and so is the other.
		}
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void start(Runnable work) {
		Thread thread = new Thread(work, "broker-network");
		thread.setDaemon(true);
		thread.start();
	}

}
