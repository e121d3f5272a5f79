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
package dev.idempotency.client;

import java.time.Duration;
import java.util.Set;

import org.springframework.http.HttpMethod;

/**
 * The settings of the clients.
 *
 * @param header the header that carries the key
 * @param methods the methods of the requests that get a key
 * @param retry the retry settings
 * @param inTransaction the reaction to a call within a transaction
 * @param targets the systems that requests go to
 */
public record ClientSettings(KeyHeader header, Set<HttpMethod> methods, Retry retry, InTransaction inTransaction,
		ClientTargets targets) {

	/**
	 * The retry settings of outgoing requests.
	 *
	 * @param maxAttempts maximum number of attempts of a request, including the first; 1
	 * for no retries
	 * @param initial the longest pause after the first attempt, doubled after each
	 * further one
	 * @param max the longest pause, unless the other system asks for a longer one
	 * @param total the time from the first attempt after which no other starts; shorter
	 * than the other system keeps its responses
	 */
	public record Retry(int maxAttempts, Duration initial, Duration max, Duration total) {
	}

	/**
	 * The reaction to a request within the transaction of a handler in mode
	 * TRANSACTIONAL, whose effect in the other system a rollback does not undo.
	 */
	public enum InTransaction {

		/**
		 * Logs a warning, once for each operation.
		 */
		WARN,

		/**
		 * Throws an {@link IllegalStateException} before the request is sent.
		 */
		FAIL,

		/**
		 * Sends the request without a log entry.
		 */
		IGNORE

	}

}
