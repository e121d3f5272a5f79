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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The transactions of nodes that are gone. The server notices that a client has gone when
 * the operating system tells it.
 */
public final class Transactions {

	private Transactions() {
	}

	/**
	 * Waits until nothing is left of a node in the database.
	 * @param survivor another node
	 * @param name the name that the node has given to its connections
	 */
	public static void awaitGone(RunningApplication survivor, String name) {
		String left = "select pid, state, xact_start, query from pg_stat_activity where application_name = '" + name
				+ "'";
		await().untilAsserted(() -> assertThat(survivor.jdbc().queryForList(left)).isEmpty());
	}

}
