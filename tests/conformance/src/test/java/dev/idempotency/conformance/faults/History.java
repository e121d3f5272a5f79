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

import java.util.Collection;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The answers that clients have seen.
 */
final class History {

	private final Set<String> sent = ConcurrentHashMap.newKeySet();

	private final Queue<Success> successes = new ConcurrentLinkedQueue<>();

	/**
	 * A key is about to be sent.
	 */
	void sent(String key) {
		this.sent.add(key);
	}

	/**
	 * A key was answered with success.
	 */
	void succeeded(String key, String body, boolean replayed) {
		this.successes.add(new Success(key, body, replayed));
	}

	Collection<String> sent() {
		return this.sent;
	}

	Collection<Success> successes() {
		return this.successes;
	}

	/**
	 * A success as a client saw it.
	 *
	 * @param key the key
	 * @param body the response body, which names the effect
	 * @param replayed whether it was marked as a replay
	 */
	record Success(String key, String body, boolean replayed) {
	}

}
