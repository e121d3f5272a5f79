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
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A statement that the server gets when its client has given up.
 */
public final class DelayedStatement {

	private final String text;

	private final CompletableFuture<@Nullable Void> delivery = new CompletableFuture<>();

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private volatile boolean taken;

	DelayedStatement(String text) {
		this.text = text;
	}

	boolean isIn(String sql) {
		return sql.contains(this.text);
	}

	/**
	 * Returns whether a client has sent it.
	 * @return whether it is being delayed
	 */
	public boolean isSent() {
		return this.taken;
	}

	/**
	 * Delivers it, and waits until the server has executed it. Nothing happens if no
	 * client has sent it.
	 */
	public void deliver() {
		this.delivery.complete(null);
		if (this.taken) {
			this.ended.join();
		}
	}

	/**
	 * Holds everything from the statement on until its delivery.
	 * @param message the message that executes it
	 * @param client the client, which disconnects
	 * @param server the server
	 * @param session reads the replies to the end of the session
	 */
	void hold(WireMessage message, Socket client, Socket server, Thread session) throws IOException {
		try {
			this.taken = true;
			client.shutdownOutput();
			byte[] rest = client.getInputStream().readAllBytes();
			this.delivery.join();
			message.writeTo(server.getOutputStream());
			server.getOutputStream().write(rest);
			server.shutdownOutput();
			session.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.ended.complete(null);
		}
	}

}
