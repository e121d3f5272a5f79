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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.conformance.app.Gates;

/**
 * The executions of handlers: how many there were, what is held, what does not fail any
 * more.
 */
final class Executions {

	private final Map<String, AtomicInteger> started = new ConcurrentHashMap<>();

	private final Set<String> healed = ConcurrentHashMap.newKeySet();

	private final Set<String> held = ConcurrentHashMap.newKeySet();

	private final Gates gates = new Gates();

	void start(String label) {
		this.started.computeIfAbsent(label, (key) -> new AtomicInteger()).incrementAndGet();
		if (this.held.contains(label)) {
			this.gates.pass(label);
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
	 * Hold attempts with this label where they begin.
	 */
	void hold(String label) {
		this.held.add(label);
	}

	void awaitHeld(String label) {
		this.gates.awaitReached(label);
	}

	void letGo(String label) {
		this.held.remove(label);
		this.gates.open(label);
	}

}
