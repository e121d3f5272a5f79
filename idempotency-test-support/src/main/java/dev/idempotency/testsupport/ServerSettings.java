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

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The start-up settings of the servers.
 */
final class ServerSettings {

	static final String PROPERTY = PostgresServer.KIND_PROPERTY + ".settings";

	/**
	 * The first two are PostgreSQL's defaults, which the embedded server would lower.
	 */
	private static final Map<String, String> DEFAULTS = Map.of("fsync", "on", "synchronous_commit", "on",
			"max_connections", "200", "shared_preload_libraries", "pg_stat_statements");

	private ServerSettings() {
	}

	static Map<String, String> fromSystemProperty() {
		return with(parse(System.getProperty(PROPERTY, "")));
	}

	static Map<String, String> with(Map<String, String> settings) {
		Map<String, String> merged = new TreeMap<>(DEFAULTS);
		merged.putAll(settings);
		return Collections.unmodifiableMap(merged);
	}

	static Map<String, String> parse(String settings) {
		return Arrays.stream(settings.split(";"))
			.map(String::strip)
			.filter((setting) -> !setting.isEmpty())
			.map((setting) -> setting.split("=", 2))
			.collect(Collectors.toMap((parts) -> parts[0].strip(), ServerSettings::value));
	}

	private static String value(String[] parts) {
		if (parts.length != 2) {
			throw new IllegalArgumentException("System property '" + PROPERTY
					+ "' must look like 'name=value;name=value'; '" + parts[0] + "' does not");
		}
		return parts[1].strip();
	}

}
