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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Gates that handlers stop at until a test opens them. Each has a different name.
 */
public class Gates {

	private static final long LIMIT_SECONDS = 60;

	private final Map<String, Gate> gates = new ConcurrentHashMap<>();

	/**
	 * Stops here until the gate is open.
	 */
	public void pass(String name) {
		Gate gate = gate(name);
		gate.reached.countDown();
		await(gate.opened, name);
	}

	/**
	 * Waits until somebody stands at the gate.
	 */
	public void awaitReached(String name) {
		await(gate(name).reached, name);
	}

	public void open(String name) {
		gate(name).opened.countDown();
	}

	private Gate gate(String name) {
		return this.gates.computeIfAbsent(name, (key) -> new Gate(new CountDownLatch(1), new CountDownLatch(1)));
	}

	private static void await(CountDownLatch latch, String name) {
		try {
			if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Nothing happened at the gate " + name);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private record Gate(CountDownLatch reached, CountDownLatch opened) {
	}

}
