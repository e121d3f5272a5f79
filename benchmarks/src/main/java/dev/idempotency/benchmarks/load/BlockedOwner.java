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
package dev.idempotency.benchmarks.load;

import java.io.IOException;
import java.util.UUID;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.HttpConnection.Reply;

/**
 * A request that is being executed for as long as it is wanted.
 */
public final class BlockedOwner implements AutoCloseable {

	private final MeasuredApplication application;

	private final String key = "blocked-" + UUID.randomUUID();

	private final Thread owner;

	private BlockedOwner(MeasuredApplication application) {
		this.application = application;
		this.owner = new Thread(this::send, "blocked-owner");
	}

	public static BlockedOwner start(MeasuredApplication application) throws InterruptedException {
		BlockedOwner blocked = new BlockedOwner(application);
		application.controller().block();
		blocked.owner.start();
		application.controller().awaitBlockedOwner();
		return blocked;
	}

	public String key() {
		return this.key;
	}

	private void send() {
		try (HttpConnection connection = new HttpConnection(this.application.port())) {
			Reply reply = connection.post(Variant.duplicate(this.application, this.key));
			if (reply.status() != 201) {
				throw new IllegalStateException("The blocked owner got " + reply);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() throws InterruptedException {
		this.application.controller().releaseBlockedOwner();
		this.owner.join();
	}

}
