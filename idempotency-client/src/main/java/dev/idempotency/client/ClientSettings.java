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
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.springframework.http.HttpMethod;

import dev.idempotency.HeaderSyntax;

/**
 * The settings of the clients.
 *
 * @param header the name of the header that carries the key
 * @param syntax {@link HeaderSyntax#LENIENT} to send the key as it is, which most systems
 * expect, {@link HeaderSyntax#STRICT} for an RFC 9651 string
 * @param methods the methods of the requests that get a key
 * @param retry the retry settings
 * @param inTransaction the reaction to a call within a transaction
 * @param keys the key of an operation that a system gets
 * @param targets the authorities ({@code host} or {@code host:port}) of systems that have
 * several, by the name of the system; each belongs to one system
 */
public record ClientSettings(String header, HeaderSyntax syntax, Set<HttpMethod> methods, Retry retry,
		InTransaction inTransaction, Keys keys, Map<String, List<String>> targets) {

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

	/**
	 * The key of an operation that a system gets.
	 */
	public enum Keys {

		/**
		 * A key derived from the operation's key and the system: no system can use its
		 * key at another one.
		 */
		DERIVED,
		/**
		 * The key of the operation, the same at every system.
		 */
		SAME

	}

}
