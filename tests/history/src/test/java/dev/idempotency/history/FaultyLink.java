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
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A network path that fails on demand, whatever is sent on it: it forwards bytes until it
 * is told to lose those of one direction, to delay them, or to break its connections.
 */
final class FaultyLink implements AutoCloseable {

	/**
	 * A direction on the path.
	 */
	enum Direction {

		/** From the client to the server. */
		REQUESTS,

		/** From the server to the client. */
		REPLIES

	}

	private final Supplier<InetSocketAddress> target;

	private final ServerSocket listener;

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	private volatile Set<Direction> losing = Set.of();

	private volatile Duration delay = Duration.ZERO;

	private FaultyLink(Supplier<InetSocketAddress> target, ServerSocket listener) {
		this.target = target;
		this.listener = listener;
	}

	/**
	 * Opens a path on a free port of the loopback interface.
	 * @param target the server of each new connection
	 * @return the path, to be closed by the caller
	 */
	static FaultyLink to(Supplier<InetSocketAddress> target) {
		try {
			FaultyLink link = new FaultyLink(target, new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1")));
			start(link::accept);
			return link;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "faulty-link");
		thread.setDaemon(true);
		thread.start();
	}

	int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Breaks all connections, for both sides.
	 */
	void cut() {
		this.connections.forEach(Connection::close);
	}

	/**
	 * Loses everything in one direction, without an error for either side: also the end
	 * of a connection.
	 */
	void lose(Direction direction) {
		this.losing = Set.of(direction);
	}

	/**
	 * Delays everything.
	 */
	void delay(Duration time) {
		this.delay = time;
	}

	/**
	 * Forwards again. Connections that have lost something break.
	 */
	void heal() {
		this.delay = Duration.ZERO;
		this.losing = Set.of();
		this.connections.stream().filter((connection) -> connection.lost).forEach(Connection::close);
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				start(() -> open(client));
			}
			catch (IOException ex) {
				// The path is closed.
			}
		}
	}

	private void open(Socket client) {
		Socket server = new Socket();
		Connection connection = new Connection(client, server);
		this.connections.add(connection);
		try {
			server.connect(this.target.get());
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			start(() -> connection.forward(Direction.REPLIES));
			connection.forward(Direction.REQUESTS);
		}
		catch (IOException ex) {
			connection.close();
		}
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
	}

	private final class Connection {

		private final Socket client;

		private final Socket server;

		private volatile boolean lost;

		Connection(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void forward(Direction direction) {
			Socket from = (direction == Direction.REQUESTS) ? this.client : this.server;
			Socket to = (direction == Direction.REQUESTS) ? this.server : this.client;
			boolean broken = false;
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				byte[] buffer = new byte[16384];
				for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
					pause();
					// What follows on a lost part would make no sense.
					broken |= FaultyLink.this.losing.contains(direction);
					this.lost |= broken;
					if (!broken) {
						out.write(buffer, 0, read);
					}
				}
			}
			catch (IOException ex) {
				// One side is closed, so the other is closed too.
			}
			finally {
				if (FaultyLink.this.losing.contains(direction)) {
					this.lost = true;
				}
				else {
					close();
				}
			}
		}

		private void pause() {
			long nanos = FaultyLink.this.delay.toNanos();
			if (nanos > 0) {
				new CompletableFuture<Boolean>().completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS).join();
			}
		}

		void close() {
			FaultyLink.this.connections.remove(this);
			for (Socket socket : new Socket[] { this.client, this.server }) {
				try {
					socket.close();
				}
				catch (IOException ex) {
					// It is as good as closed.
				}
			}
		}

	}

}
