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
package dev.idempotency.conformance.faults;

import java.net.URI;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.testsupport.TestDatabase;

/**
 * A place in the cluster, where one node follows another.
 */
final class RestartableNode implements AutoCloseable {

	private final TestDatabase database;

	private final String[] properties;

	private CompletableFuture<Node> starting;

	private volatile URI address = URI.create("http://127.0.0.1:1");

	RestartableNode(TestDatabase database, String... properties) {
		this.database = database;
		this.properties = properties;
		this.starting = start();
	}

	private CompletableFuture<Node> start() {
		return CompletableFuture
			.supplyAsync(() -> Node.start(this.database, this.properties), (task) -> new Thread(task).start())
			.whenComplete((node, failure) -> {
				if (node != null) {
					this.address = node.address();
				}
			});
	}

	URI address() {
		return this.address;
	}

	/**
	 * Waits for the node to start. One that came up while its database was down has given
	 * up, and is started again.
	 */
	Node awaitStarted() {
		for (int i = 0; this.starting.handle((node, failure) -> failure).join() != null && i < 3; i++) {
			this.starting = start();
		}
		return this.starting.join();
	}

	void killAndRestart() {
		if (isStarted()) {
			this.starting.join().kill();
			this.starting = start();
		}
	}

	void whilePaused(Runnable action) {
		if (isStarted()) {
			Node node = this.starting.join();
			node.pause();
			action.run();
			node.proceed();
		}
	}

	private boolean isStarted() {
		return this.starting.isDone() && !this.starting.isCompletedExceptionally();
	}

	@Override
	public void close() {
		this.starting.thenAccept(Node::close).exceptionally((failure) -> null).join();
	}

}
