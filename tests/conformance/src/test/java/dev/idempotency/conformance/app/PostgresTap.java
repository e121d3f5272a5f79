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

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.testsupport.TestDatabase;

/**
 * Stands between an application and PostgreSQL and writes down every round trip: what the
 * client sends up to a Sync or a simple Query (the PostgreSQL manual, "Message Flow")
 * with nothing behind it, because it waits for the server. A simple Query that is sent
 * together with more, as pgjdbc does with its BEGIN, is no round trip. Each is noted
 * before the server sees it, so that a client who has its reply finds the note.
 */
public final class PostgresTap implements AutoCloseable {

	/** The verb of a statement, and the table that it reads or writes. */
	private static final Pattern STATEMENT = Pattern
		.compile("(\\w+)(?:(?:(?<=update)|.*?\\b(?:into|from))\\s+(\\w+))?.*", Pattern.DOTALL);

	private final TestDatabase target;

	private final ServerSocket server;

	private final ConcurrentLinkedQueue<String> roundTrips = new ConcurrentLinkedQueue<>();

	private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();

	private PostgresTap(TestDatabase target) throws IOException {
		this.target = target;
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
	}

	public static PostgresTap open(TestDatabase target) {
		try {
			PostgresTap tap = new PostgresTap(target);
			tap.start("accept", tap::accept);
			return tap;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The same database through the tap, unencrypted: what is encrypted cannot be read.
	 */
	public TestDatabase database() {
		URI uri = uri();
		return new TestDatabase("jdbc:postgresql://127.0.0.1:" + this.server.getLocalPort() + uri.getPath()
				+ "?sslmode=disable&gssEncMode=disable", this.target.username(), this.target.password());
	}

	/**
	 * Forgets what was written down so far.
	 */
	public void clear() {
		this.roundTrips.clear();
	}

	/**
	 * The round trips since the last {@link #clear()}, each as its statements in short
	 * form: the verb and the table, separated by a semicolon.
	 */
	public List<String> roundTrips() {
		return List.copyOf(this.roundTrips);
	}

	private URI uri() {
		return URI.create(this.target.jdbcUrl().substring("jdbc:".length()));
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.server.accept();
			Socket backend = new Socket(uri().getHost(), uri().getPort());
			client.setTcpNoDelay(true);
			backend.setTcpNoDelay(true);
			this.sockets.addAll(List.of(client, backend));
			start("forward", () -> forward(client, backend));
			start("backward", () -> {
				try (backend) {
					backend.getInputStream().transferTo(client.getOutputStream());
				}
			});
		}
	}

	private void forward(Socket client, Socket backend) throws IOException {
		try (client; backend) {
			DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
			DataOutputStream out = new DataOutputStream(backend.getOutputStream());
			// The start-up message is the only one without a type.
			byte[] startup = in.readNBytes(in.readInt() - Integer.BYTES);
			out.writeInt(startup.length + Integer.BYTES);
			out.write(startup);
			Conversation conversation = new Conversation();
			while (true) {
				byte type = in.readByte();
				byte[] content = in.readNBytes(in.readInt() - Integer.BYTES);
				conversation.message((char) type, content, in.available() > 0);
				out.writeByte(type);
				out.writeInt(content.length + Integer.BYTES);
				out.write(content);
			}
		}
	}

	private void start(String name, Transfer transfer) {
		Thread thread = new Thread(() -> {
			try {
				transfer.run();
			}
			catch (IOException ex) {
				// One side has hung up; the other learns it from its closed socket.
			}
		}, "postgres-tap-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.server.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private interface Transfer {

		void run() throws IOException;

	}

	/**
	 * The messages of one client.
	 */
	private final class Conversation {

		private final Map<String, String> statements = new HashMap<>();

		private final Map<String, String> portals = new HashMap<>();

		private final List<String> executed = new ArrayList<>();

		void message(char type, byte[] content, boolean moreToCome) {
			switch (type) {
				case 'P' -> this.statements.put(text(content, 0), text(content, 1));
				case 'B' -> this.portals.put(text(content, 0), this.statements.getOrDefault(text(content, 1), "?"));
				case 'E' -> this.executed.add(shortForm(this.portals.getOrDefault(text(content, 0), "?")));
				case 'Q' -> this.executed.add(shortForm(text(content, 0)));
				default -> {
					// Executes nothing.
				}
			}
			if ((type == 'Q' || type == 'S') && !moreToCome) {
				end();
			}
		}

		private void end() {
			PostgresTap.this.roundTrips.add(String.join("; ", this.executed));
			this.executed.clear();
		}

		private static String shortForm(String sql) {
			Matcher matcher = STATEMENT.matcher(sql.strip());
			if (!matcher.matches()) {
				return sql;
			}
			return (matcher.group(2) != null) ? matcher.group(1) + " " + matcher.group(2) : matcher.group(1);
		}

		/**
		 * The string at an index among those that the message begins with.
		 */
		private static String text(byte[] content, int index) {
			String[] strings = new String(content, StandardCharsets.UTF_8).split("\0", index + 2);
			return strings[index];
		}

	}

}
