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

package dev.idempotency.conformance.fuzz;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The executions of handlers: how many there were, what is held, what does not fail any
 * more.
 */
final class Executions {

	private static final long LIMIT_SECONDS = 60;

	private final Map<String, AtomicInteger> started = new ConcurrentHashMap<>();

	private final Set<String> healed = ConcurrentHashMap.newKeySet();

	private final Map<String, Hold> held = new ConcurrentHashMap<>();

	void start(String label) {
		this.started.computeIfAbsent(label, (key) -> new AtomicInteger()).incrementAndGet();
		Hold hold = this.held.remove(label);
		if (hold != null) {
			hold.reached().complete(null);
			hold.opened().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
		}
	}

	int count(String label) {
		return this.started.getOrDefault(label, new AtomicInteger()).get();
	}

	/**
	 * From now on attempts with this label do not fail.
	 */
	void heal(String label) {
		this.healed.add(label);
	}

	boolean isHealed(String label) {
		return this.healed.contains(label);
	}

	/**
	 * Holds the next attempt with this label where it begins.
	 */
	Hold hold(String label) {
		Hold hold = new Hold(new CompletableFuture<>(), new CompletableFuture<>());
		this.held.put(label, hold);
		return hold;
	}

	/**
	 * An attempt that is held.
	 *
	 * @param reached completed when it is there
	 * @param opened completed to let it go on
	 */
	record Hold(CompletableFuture<@Nullable Void> reached, CompletableFuture<@Nullable Void> opened) {

	}

}
