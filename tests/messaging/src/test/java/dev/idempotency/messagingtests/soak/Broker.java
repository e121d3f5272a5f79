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
package dev.idempotency.messagingtests.soak;

import java.util.List;

/**
 * A broker in a separate process, with its data on disk.
 */
interface Broker extends AutoCloseable {

	/**
	 * Starts the broker with the data that it had, and waits until it answers.
	 */
	void start();

	/**
	 * Kills the broker, as {@code kill -9} does.
	 */
	void kill();

	/**
	 * Sends a signal, such as {@code STOP} or {@code CONT}.
	 */
	void signal(String signal);

	/**
	 * Returns the settings of nodes that use the broker.
	 */
	List<String> settings();

	@Override
	default void close() {
		kill();
	}

}
