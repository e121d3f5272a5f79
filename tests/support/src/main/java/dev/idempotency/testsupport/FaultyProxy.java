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
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * A network between an application and its PostgreSQL that fails on demand. It forwards
 * until then. It reads the protocol, so that it can fail exactly at a commit.
 */
public final class FaultyProxy implements AutoCloseable {

	/**
	 * Faults of one commit.
	 */
	public enum CommitFault {

		/**
		 * The connection breaks before the server has seen the commit.
		 */
		REQUEST_LOST,

		/**
		 * The server has committed; the connection breaks before the reply.
		 */
		REPLY_LOST,

		/**
		 * A lost reply, as {@link #REPLY_LOST}, after which the server is out of reach.
		 */
		REPLY_LOST_AND_DOWN

	}

	private final TestDatabase target;

	private final InetSocketAddress server;

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable CommitFault> commitFault = new AtomicReference<>();

	private final AtomicReference<@Nullable String> swallowed = new AtomicReference<>();

	private volatile @Nullable String swallowedAlways;

	private final AtomicReference<@Nullable DelayedStatement> delayed = new AtomicReference<>();

	private volatile CompletableFuture<@Nullable Void> resumed = CompletableFuture.completedFuture(null);

	private int port;

	private @Nullable ServerSocket listener;

	private @Nullable Thread acceptor;

	private FaultyProxy(TestDatabase target) {
		this.target = target;
		URI address = target.address();
		this.server = new InetSocketAddress(address.getHost(), address.getPort());
	}

	/**
	 * Starts a proxy on a free port of the loopback interface.
	 * @param target the database to forward to
	 * @return the running proxy, to be closed by the caller
	 */
	public static FaultyProxy before(TestDatabase target) {
		FaultyProxy proxy = new FaultyProxy(target);
		proxy.goUp();
		return proxy;
	}

	/**
	 * The database as it is seen through this proxy, without encryption.
	 * @return the connection details for a client
	 */
	public TestDatabase database() {
		return new TestDatabase("jdbc:postgresql://127.0.0.1:" + this.port + this.target.address().getPath()
				+ "?sslmode=disable&gssEncMode=disable", this.target.username(), this.target.password());
	}

	/**
	 * Breaks the connection at the next commit that any client sends.
	 * @param fault the kind of fault
	 */
	public void failNextCommit(CommitFault fault) {
		this.commitFault.set(fault);
	}

	/**
	 * Accepts connections again after a test.
	 * @throws IllegalStateException if the fault of {@link #failNextCommit} hit nothing
	 */
	public void repair() {
		CommitFault pending = this.commitFault.get();
		if (pending != null) {
			throw new IllegalStateException("A fault that hit no commit: " + pending);
		}
		goUp();
	}

	/**
	 * Swallows the next statement that contains a text, and all that is sent behind it on
	 * its connection, which stays open without an error.
	 * @param text a part of the statement
	 */
	public void swallowNext(String text) {
		this.swallowed.set(text);
	}

	/**
	 * Returns whether the fault of {@link #swallowNext} is still pending.
	 * @return {@code false} when one was swallowed, or none was to be
	 */
	public boolean isSwallowPending() {
		return this.swallowed.get() != null;
	}

	/**
	 * Swallows every statement that contains a text, as {@link #swallowNext} does one.
	 * @param text a part of the statements
	 */
	public void swallowAll(String text) {
		this.swallowedAlways = text;
	}

	/**
	 * Swallows nothing more.
	 */
	public void swallowNothing() {
		this.swallowedAlways = null;
		this.swallowed.set(null);
	}

	boolean swallows(String sql) {
		String always = this.swallowedAlways;
		if (always != null && sql.contains(always)) {
			return true;
		}
		String text = this.swallowed.get();
		return text != null && sql.contains(text) && this.swallowed.compareAndSet(text, null);
	}

	/**
	 * Delays the next statement that contains a text, and all that is sent behind it on
	 * its connection, which breaks for the client and for the server stays open.
	 * @param text a part of the statement
	 * @return the statement
	 */
	public DelayedStatement delayNext(String text) {
		DelayedStatement next = new DelayedStatement(text);
		this.delayed.set(next);
		return next;
	}

	@Nullable DelayedStatement takeDelay(String sql) {
		DelayedStatement next = this.delayed.get();
		return (next != null && next.isIn(sql) && this.delayed.compareAndSet(next, null)) ? next : null;
	}

	/**
	 * Breaks all connections. New ones are accepted.
	 */
	public void cut() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Refuses new connections and breaks existing ones.
	 */
	public void goDown() {
		stopListening();
		cut();
	}

	private synchronized void stopListening() {
		try {
			if (this.listener != null) {
				this.listener.close();
				this.listener = null;
			}
			if (this.acceptor != null) {
				// The port listens for as long as a call of accept is under way.
				this.acceptor.join();
				this.acceptor = null;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Accepts connections again, on the same port.
	 */
	public synchronized void goUp() {
		if (this.listener != null) {
			return;
		}
		try {
			ServerSocket socket = new ServerSocket();
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), this.port));
			this.port = socket.getLocalPort();
			this.listener = socket;
			this.acceptor = ProxiedConnection.startDaemon("faulty-proxy-" + this.port, () -> accept(socket));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Forwards nothing more, and breaks nothing: the server appears to hang.
	 */
	public void stall() {
		this.resumed = new CompletableFuture<>();
	}

	/**
	 * Forwards the held data, and everything from now on.
	 */
	public void resume() {
		this.resumed.complete(null);
	}

	@Override
	public void close() {
		resume();
		goDown();
	}

	void awaitResumed() {
		this.resumed.join();
	}

	@Nullable CommitFault takeCommitFault() {
		return this.commitFault.getAndSet(null);
	}

	void closed(ProxiedConnection connection) {
		this.connections.remove(connection);
	}

	private void accept(ServerSocket socket) {
		while (!socket.isClosed()) {
			try {
				open(socket.accept());
			}
			catch (IOException ex) {
				// The listener is closed, or the server is down: the client finds out.
			}
		}
	}

	private void open(Socket client) throws IOException {
		Socket upstream = new Socket();
		try {
			upstream.connect(this.server);
		}
		catch (IOException ex) {
			client.close();
			throw ex;
		}
		ProxiedConnection connection = new ProxiedConnection(this, client, upstream);
		this.connections.add(connection);
		connection.start();
	}

}
