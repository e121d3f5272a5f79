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
package dev.idempotency.testsupport;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Recognises the commits among the messages of one client. In the extended protocol a
 * driver parses COMMIT once and executes it many times by the name of its statement.
 */
final class FrontendCommits {

	private final Map<String, String> statements = new HashMap<>();

	private final Map<String, String> portals = new HashMap<>();

	/**
	 * The statement that a message executes, {@code null} if it executes none. To be
	 * called once for each message.
	 */
	@Nullable String executed(WireMessage message) {
		switch (message.type()) {
			case 'P' -> this.statements.put(message.string(0), message.string(1));
			case 'B' -> this.portals.put(message.string(0), this.statements.getOrDefault(message.string(1), ""));
			case 'E' -> {
				return this.portals.getOrDefault(message.string(0), "");
			}
			case 'Q' -> {
				return message.string(0);
			}
			default -> {
				// No message that could contain a commit.
			}
		}
		return null;
	}

	static boolean isCommit(String sql) {
		return sql.strip().equalsIgnoreCase("COMMIT");
	}

}
