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
package dev.idempotency.engine.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The answer of a run, as transactions see it that wait for it on other threads.
 */
final class PendingAnswer {

	/**
	 * The time that a transaction waits to learn whether the answer, which is just being
	 * stored, is stored.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(10);

	private final CompletableFuture<Boolean> stored = new CompletableFuture<>();

	private volatile boolean storing;

	private volatile boolean locked;

	/**
	 * One transaction, which stores the answer, has the lease locked from its begin to
	 * its end.
	 */
	void lock() {
		this.locked = true;
	}

	boolean isLocked() {
		return this.locked && !this.stored.isDone();
	}

	void beginStoring() {
		this.storing = true;
	}

	/**
	 * Decides whether the run has an answer that is durable.
	 */
	void decide(boolean durable) {
		this.stored.complete(durable);
	}

	boolean isStored() {
		return this.stored.getNow(false);
	}

	boolean awaitStored() {
		return this.storing
				&& this.stored.copy().completeOnTimeout(false, LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
	}

}
