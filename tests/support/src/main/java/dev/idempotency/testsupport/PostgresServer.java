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

import java.util.Map;

/**
 * A running PostgreSQL server that is stopped at the end of the JVM.
 */
interface PostgresServer {

	/**
	 * The system property that chooses the kind of server.
	 */
	String KIND_PROPERTY = DatabaseKind.PROPERTY;

	/**
	 * The settings of the servers. The first two are PostgreSQL's defaults, which the
	 * embedded server would lower.
	 */
	Map<String, String> SETTINGS = Map.of("fsync", "on", "synchronous_commit", "on", "max_connections", "200",
			"shared_preload_libraries", "pg_stat_statements");

	/**
	 * Describes the connection to a database of this server, which need not exist.
	 * @param name the name of the database
	 * @return the connection details for a client
	 */
	TestDatabase database(String name);

	static PostgresServer start() {
		// Some tests need PostgreSQL, regardless of the database of the others.
		String kind = (DatabaseKind.chosen() != DatabaseKind.POSTGRESQL) ? "" : System.getProperty(KIND_PROPERTY, "");
		return switch (kind) {
			case "embedded" -> DedicatedServer.start(Map.of());
			case "testcontainers" -> ContainerServer.start(SETTINGS);
			case PgBouncerServer.KIND -> PgBouncerServer.start(DedicatedServer.start(Map.of()));
			case "" ->
				ContainerServer.isAvailable() ? ContainerServer.start(SETTINGS) : DedicatedServer.start(Map.of());
			default -> throw new IllegalArgumentException("System property '" + KIND_PROPERTY
					+ "' must be 'embedded', 'testcontainers', 'pgbouncer', 'h2' or 'h2-postgresql', not '" + kind
					+ "'");
		};
	}

}
