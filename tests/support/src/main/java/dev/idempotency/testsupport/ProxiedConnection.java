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

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.testsupport.FaultyProxy.CommitFault;
import org.jspecify.annotations.Nullable;

/**
 * One connection through a {@link FaultyProxy}: a thread for each direction, message by
 * message (PostgreSQL documentation, chapter "Frontend/Backend Protocol").
 */
final class ProxiedConnection {

	private static final char READY_FOR_QUERY = 'Z';

	private final FaultyProxy proxy;

	private final Socket client;

	private final Socket server;

	private final FrontendCommits commits = new FrontendCommits();

	/**
	 * The fault of a commit whose reply is being lost.
	 */
	private final AtomicReference<@Nullable CommitFault> losing = new AtomicReference<>();

	private volatile boolean late;

	ProxiedConnection(FaultyProxy proxy, Socket client, Socket server) {
		this.proxy = proxy;
		this.client = client;
		this.server = server;
	}

	static Thread startDaemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	void start() {
		Thread replies = startDaemon("faulty-proxy-reply", () -> pump(this::forwardReplies));
		startDaemon("faulty-proxy-request", () -> pump(() -> forwardRequests(replies)));
	}

	private void pump(Pump pump) {
		try {
			pump.run();
		}
		catch (IOException ex) {
			// One side is closed, so the other is closed too.
		}
		finally {
			close();
		}
	}

	private void forwardRequests(Thread replies) throws IOException {
		DataInputStream in = new DataInputStream(this.client.getInputStream());
		OutputStream out = this.server.getOutputStream();
		WireMessage message = WireMessage.readUntyped(in);
		while (true) {
			this.proxy.awaitResumed();
			String sql = this.commits.executed(message);
			if (sql != null && this.proxy.swallows(sql)) {
				// No more data is forwarded, without an error.
				in.transferTo(OutputStream.nullOutputStream());
				throw new EOFException("The client has disconnected");
			}
			DelayedStatement delayed = (sql != null) ? this.proxy.takeDelay(sql) : null;
			if (delayed != null) {
				this.late = true;
				delayed.hold(message, this.client, this.server, replies);
				throw new EOFException("The server has ended the session");
			}
			if (sql != null && FrontendCommits.isCommit(sql)) {
				CommitFault fault = this.proxy.takeCommitFault();
				if (fault == CommitFault.REQUEST_LOST) {
					throw new EOFException("The commit is lost");
				}
				this.losing.set(fault);
			}
			message.writeTo(out);
			message = WireMessage.read(in);
		}
	}

	private void forwardReplies() throws IOException {
		DataInputStream in = new DataInputStream(this.server.getInputStream());
		OutputStream out = this.client.getOutputStream();
		while (true) {
			WireMessage message = WireMessage.read(in);
			CommitFault fault = this.losing.get();
			if (this.late) {
				// Nobody waits for it any more.
				continue;
			}
			if (fault == null) {
				this.proxy.awaitResumed();
				message.writeTo(out);
			}
			else if (message.type() == READY_FOR_QUERY) {
				if (fault == CommitFault.REPLY_LOST_AND_DOWN) {
					this.proxy.goDown();
				}
				throw new EOFException("The reply to the commit is lost");
			}
		}
	}

	void close() {
		closeQuietly(this.client);
		closeQuietly(this.server);
		this.proxy.closed(this);
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is as good as closed.
		}
	}

	@FunctionalInterface
	private interface Pump {

		void run() throws IOException;

	}

}
